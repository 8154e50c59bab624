import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readSessionCookie } from './cookies.ts'
import { ANONYMOUS, type Identity } from './identity.ts'

/**
 * Resolves a credential to an identity, or null. `digest` is the result of `credentialHash` for the credential. Credentials
 * of every kind are found by this digest.
 */
export type Resolve = (credential: string, digest: string) => Promise<Identity | null> | Identity | null

/**
 * SHA-256 of a credential, lower-case hex. Clients send secrets as UTF-8, but Node decodes headers as Latin-1. Encoding
 * the credential as Latin-1 again restores the bytes that the client sent.
 */
const credentialHash = (credential: string): string => hash('sha256', Buffer.from(credential, 'latin1'), 'hex')

/** Resolvers of a credential in a header, in order (static token, API key, session), and of one in a cookie. */
export type Resolvers = { readonly inHeader: readonly Resolve[]; readonly inCookie: Resolve }

export type Identify = (request: Sender) => Promise<Identity> | Identity

/** The part of a request that identifies its caller. */
export type Sender = Pick<IncomingMessage, 'headers' | 'socket'>

/**
 * Reads the credential of a request and resolves it; a request without a valid one is anonymous. If there is a header,
 * it decides alone. The result is synchronous if the resolvers are, as for static tokens and cached credentials. If it
 * is a promise, further calls for the same request return the same promise.
 */
export const identifyWith = ({ inHeader, inCookie }: Resolvers): Identify => {
  const pending = new WeakMap<Sender, Promise<Identity>>()
  // A connection usually sends one credential repeatedly. This is the only place that stores credentials unencrypted; an
  // entry goes away with its connection.
  const lastOf = new WeakMap<object, { readonly credential: string; readonly digest: string }>()
  const digestBy = (socket: object, credential: string): string => {
    const last = lastOf.get(socket)
    if (last?.credential === credential) return last.digest
    const digest = credentialHash(credential)
    lastOf.set(socket, { credential, digest })
    return digest
  }
  const identify = ({ headers: { authorization, cookie }, socket }: Sender): Promise<Identity> | Identity => {
    if (authorization !== undefined) {
      const credential = credentialOf(authorization)
      return credential === '' ? ANONYMOUS : resolved(credential, digestBy(socket, credential), inHeader, 0)
    }
    const token = readSessionCookie(cookie)
    if (token === null) return ANONYMOUS
    const found = inCookie(token, digestBy(socket, token))
    return found instanceof Promise ? found.then(sentByBrowser) : sentByBrowser(found)
  }
  return (request) => {
    const started = pending.get(request)
    if (started) return started
    const identity = identify(request)
    if (identity instanceof Promise) pending.set(request, identity)
    return identity
  }
}

const sentByBrowser = (identity: Identity | null): Identity =>
  identity === null ? ANONYMOUS : { ...identity, by_cookie: true }

const resolved = (
  credential: string,
  digest: string,
  resolvers: readonly Resolve[],
  index: number,
): Promise<Identity> | Identity => {
  const resolve = resolvers[index]
  if (!resolve) return ANONYMOUS
  const identity = resolve(credential, digest)
  if (identity instanceof Promise)
    return identity.then((found) => found ?? resolved(credential, digest, resolvers, index + 1))
  return identity ?? resolved(credential, digest, resolvers, index + 1)
}

/** `Bearer x` or a bare value. */
const credentialOf = (header: string): string =>
  (header.startsWith('Bearer ') ? header.slice(7) : header.replace(/^bearer\s+/i, '')).trim()
