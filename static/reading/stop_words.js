// Words that say how, not what: those of the languages that topics are mostly written in.
const list = (text) => new Set(text.split(" "));

export const STOP_WORDS = {
  en: list(
    "a about above after again against all also am an and any are as at be because been before being below " +
      "between both but by can cannot could did do does doing down during each either etc few for from further had " +
      "has have having he her here hers him his how however i if in into is it its itself just may me might more " +
      "most must my no nor not of off on once one only or other our ours out over own per put same shall she should so " +
      "some such than that the their theirs them then there these they this those through to too under until up " +
      "upon us very was we were what when where whether which while who whom whose why will with within without " +
      "would you your yours s t",
  ),
  de: list(
    "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis da damit " +
      "dann das dass dem den denen der deren des die dies diese diesem diesen dieser dieses doch dort durch ein " +
      "eine einem einen einer eines er es etwa fur gegen hat haben hatte hier hinter ich ihr ihre ihrem ihren im in " +
      "indem ins ist ja jede jeder jedes kann kein keine konnen man mehr mit muss mussen nach nicht noch nur ob " +
      "oder ohne sehr sein seine sich sie sind so soll sollen uber um und unter vom von vor war waren was weil " +
      "welche welchem welchen welcher welches wenn wer werden wie wird wo wurde wurden zu zum zur zwischen",
  ),
  fr: list(
    "a afin ainsi alors au aucun aussi autre autres aux avec c ce ceci cela celle celui ces cet cette ceux chaque " +
      "chez comme comment d dans de depuis des donc dont du elle elles en encore entre est et etaient etait ete " +
      "etre eu il ils j je jusque l la le les leur leurs lors lui m ma mais me meme mes moins mon n ne ni nos notre " +
      "nous on ont ou par parce pas pendant peu peut peuvent plus pour pourquoi qu quand que quel quelle quelles " +
      "quels qui quoi s sa sans se ses si son sont sous sur ta tandis te tous tout toute toutes tres tu un une vers " +
      "vos votre vous y",
  ),
  es: list(
    "a al algo algun alguna algunas algunos ante antes aunque bajo cada como con contra cual cuales cuando de del " +
      "desde donde dos e el ella ellas ellos en entre era eran es esa esas ese eso esos esta estan estas este esto " +
      "estos fue fueron ha hacia han hasta hay la las le les lo los mas me mi mientras mucho muy ni no nos o otra " +
      "otras otro otros para pero por porque pueden que quien quienes se sea segun ser si sin sobre son su sus " +
      "tambien tanto te tiene tienen toda todas todo todos tras un una unas uno unos y ya",
  ),
  it: list(
    "a ad agli ai al alcuni alla alle allo anche c che chi ci come con contro cui da dagli dai dal dalla dalle " +
      "degli dei del dell della delle dello di dove e ed era erano essere fra gli ha hanno i il in io l la le lo " +
      "loro ma negli nei nel nell nella nelle nello noi non o ogni per perche piu possono puo quale quali quando " +
      "quanto quella quelle quelli quello questa queste questi questo se senza si sia sono su sugli sui sul sulla " +
      "sulle tra tutti tutto un una uno",
  ),
  pt: list(
    "a ao aos apos as ate cada com como contra da das de dela dele depois do dos e ela elas ele eles em entre era " +
      "eram essa essas esse esses esta estao estas este estes foi foram ha isso isto ja mais mas me mesmo muito na " +
      "nao nas nem no nos o os ou outra outras outro outros para pela pelas pelo pelos podem pode por porque qual " +
      "quais quando que quem se sem ser seu seus sao sob sobre sua suas tambem tem tendo todo todos um uma umas uns",
  ),
  ar: list(
    "الا التي الذي الذين الى الي اما ان او اي اين بعد بعض به بها بين تحت تكون تلك ثم حتى حول حيث ذلك ضد " +
      "على علي عليه عليها عن عند غير في فيه فيها قبل قد كان كانت كل كما كيف لا لان لدي لكن لم لن له لها ليس " +
      "ما متي مثل مع من منه منها هذا هذه هل هم هن هناك هو هي و يكون",
  ),
  nl: list(
    "aan al alle als andere bij binnen dan dat de deze die dit door dus een en er geen had heeft het hij hoe hun " +
      "ik in is ja je kan kunnen maar me meer men met mijn moet na naar niet nog nu of om onder ons ook op over te " +
      "tegen toch toen tot tussen uit van veel voor waar waarom wanneer waren was wat we welk welke werd wie wij " +
      "wordt worden ze zei zich zij zijn zo zonder zou",
  ),
};

// What a statement says of documents, not of its subject; left out of descriptions, never out of titles.
export const REQUEST_WORDS = list(
  "article articles describe describes describing detail details discuss discusses discussing document documents " +
    "find identify include includes information mention mentions passage passages relevant report reports text " +
    "texts beschreiben dokument dokumente finden finde relevant relevante article articles decrire document " +
    "documents trouver trouvez pertinent pertinents encontrar documento documentos relevantes documenti trovare",
);

// The language of a text by the stop words in it, the first of equals; "" where it has none of any.
export function languageOf(words) {
  let best = "";
  let most = 0;
  for (const [language, known] of Object.entries(STOP_WORDS)) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
