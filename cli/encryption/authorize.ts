import type { IncomingMessage } from 'node:http';
import { isSameSecret, refusal, type Refusal } from '../ui/http/access';

/** Decides whether a request may read payloads; undefined if it may. */
export type Authorize = (request: IncomingMessage) => Promise<Refusal | undefined>;

/** How requests prove who they are. With none of them, the server must be on loopback. */
export interface Credentials {
  /** A secret that all clients send. */
  readonly token?: string | undefined;
  /** Address of the public keys of an identity provider whose access tokens are accepted. */
  readonly jwks?: string | undefined;
  readonly audience?: string | undefined;
  readonly issuer?: string | undefined;
}

/** Creates the check of the credentials that are configured. */
export async function authorizeWith({ token, jwks, audience, issuer }: Credentials): Promise<Authorize> {
  const verify = jwks === undefined ? undefined : await tokenVerifier(jwks, { audience, issuer });
  if (token === undefined && verify === undefined) return () => Promise.resolve(undefined);
  return async ({ headers }) => {
    const given = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) return refused('This request has no access token.');
    if (token !== undefined && isSameSecret(given, token)) return undefined;
    return verify !== undefined && (await verify(given)) ? undefined : refused('The access token is not accepted.');
  };
}

/** Verifies JSON Web Tokens: signature, expiry, audience and issuer. Keys are fetched when they are first needed. */
async function tokenVerifier(
  jwks: string,
  { audience, issuer }: Pick<Credentials, 'audience' | 'issuer'>,
): Promise<(token: string) => Promise<boolean>> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(jwks));
  const expected = { ...(audience === undefined ? {} : { audience }), ...(issuer === undefined ? {} : { issuer }) };
  return (token) =>
    jwtVerify(token, keys, { ...expected, requiredClaims: ['exp'] }).then(
      () => true,
      () => false,
    );
}

function refused(message: string): Refusal {
  return refusal(401, 'Codec.Unauthorized', message, 'In the Web UI, turn on passing the access token of the user.');
}
