"""Signing in at an OpenID provider: OpenID Connect, by the authorization code flow with PKCE.

    browser_trips  a browser on its way to the provider and back: state, nonce, verifier, permission to link
    provider       what the provider publishes of itself, and a code exchanged for an identity
    id_tokens      an ID token checked
    identities     which account an identity is linked with, and who may come in
    refusals       why somebody may not, in plain words

Decisions:

- An identity is issuer and subject. An account is never found by an e-mail address or a name: a provider may
  give both to somebody else tomorrow.
- Linking takes the password, as every change does of what opens an account, and the cookie of the trip has
  a permission that a session alone cannot make. So the owner of an account has linked it, or it was made by
  signing in at the provider, and nobody else has ever been able to.
- Nothing is stored between the way out and the way back. A cookie holds a random secret with the purpose of
  the trip; state, nonce and PKCE verifier are hashes of that cookie. The state that comes back fits this
  browser, this trip and its purpose, or nothing happens.
- The trip begins with a form that the person sends, which other sites cannot. It is answered by a page that
  goes on to the provider: a redirect would fall under `form-action 'self'` of the content policy.
- What the provider grants beyond the ID token is read once and dropped: no token of it is stored.
- An account with two-factor sign-in is asked for its code here as well, whatever the provider asked for.
"""
