import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rsaKey, type SigningKey } from '../certificate.ts'
import { escapeXml, idpMetadataXml, readAuthnRequest, samlResponse } from './saml-idp.ts'

/** A person who can sign in at the stand-in. The name is the NameID. */
export type SamlAccount = { readonly name: string; readonly email: string; readonly groups: readonly string[] }

export type SamlIdpOptions = {
  /** The port on the loopback interface; by default a free one. */
  readonly port?: number
  /** The public URL of the service, without a slash at its end. */
  readonly publicUrl: string
  /** The name of this provider in the service's configuration. */
  readonly provider: string
  readonly accounts: readonly SamlAccount[]
  /** The time in epoch milliseconds; by default that of the system. */
  readonly now?: () => number
  /** The key of the signatures; by default a new RSA key. */
  readonly key?: SigningKey
}

export type RunningSamlIdp = {
  readonly metadataUrl: string
  /** Where the button for a sign-in without a request is. */
  readonly url: string
  readonly close: () => Promise<void>
}

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><style>body{font:1rem system-ui;max-width:30rem;margin:4rem auto}` +
  `button{display:block;margin:.5rem 0;padding:.6rem 1rem;font:inherit}</style><h1>${title}</h1>${body}</html>`

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeXml(value)}">`

/**
 * Starts a SAML identity provider on the loopback address. Its page lists the accounts; a press on one of them posts a
 * signed response to the service. It is for demonstrations and specs: it has no passwords.
 *
 * `GET /metadata` returns the metadata, `GET /sso` the page, with or without a request, `POST /sso` the form with the
 * response, which posts itself.
 */
export const startSamlIdp = async (options: SamlIdpOptions): Promise<RunningSamlIdp> => {
  const { publicUrl, provider, accounts, now = Date.now, key = rsaKey() } = options
  const acsUrl = `${publicUrl}/api/v1/auth/saml/${provider}/acs`
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 400
      response.end(error instanceof Error ? error.message : 'bad request')
    })
  })
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  // Browsers send the cookie of the sign-in with a form of the same site alone, and `localhost` is another site.
  const host = new URL(publicUrl).hostname === 'localhost' ? 'localhost' : '127.0.0.1'
  server.once('error', reject).listen(options.port ?? 0, host, resolve)
  await listening
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const entityId = `${url}/metadata`

  const accountsPage = (query: string): string => {
    const { id, relayState } = query.includes('SAMLRequest=')
      ? readAuthnRequest(`${url}/sso${query}`)
      : { id: '', relayState: null }
    const buttons = accounts.map(
      ({ name, email }) => `<button name="account" value="${escapeXml(name)}">${escapeXml(email)}</button>`,
    )
    const state = hidden('request', id) + (relayState === null ? '' : hidden('relay', relayState))
    return page('Choose an account', `<form method="post" action="/sso">${state}${buttons.join('')}</form>`)
  }
  const responsePage = (form: URLSearchParams): string => {
    const account = accounts.find(({ name }) => name === form.get('account'))
    if (!account) throw new Error('unknown account')
    const relayState = form.get('relay')
    const response = samlResponse(
      {
        at: now(),
        acsUrl,
        audience: `${publicUrl}/api/v1/auth/saml/${provider}/metadata`,
        issuer: entityId,
        requestId: form.get('request') || null,
        nameId: account.name,
        nameIdFormat: PERSISTENT,
        assertionId: `_${randomBytes(16).toString('hex')}`,
        responseId: `_${randomBytes(16).toString('hex')}`,
        attributes: [
          { name: 'email', values: [account.email] },
          { name: 'groups', values: account.groups },
        ],
      },
      { key, sign: 'both' },
    )
    const fields = hidden('SAMLResponse', response) + (relayState === null ? '' : hidden('RelayState', relayState))
    const postForm = `<form method="post" action="${escapeXml(acsUrl)}">${fields}<button>Continue</button></form>`
    return page('Signing in', `${postForm}<script>document.forms[0].submit()</script>`)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? '/', url)
    const html = (body: string): void => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(body)
    }
    if (pathname === '/metadata') {
      response.setHeader('content-type', 'application/samlmetadata+xml')
      response.end(idpMetadataXml({ entityId, ssoUrl: `${url}/sso`, certificates: [key.certificate] }))
    } else if (pathname === '/sso' && request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      html(responsePage(new URLSearchParams(Buffer.concat(chunks).toString())))
    } else if (pathname === '/sso' || pathname === '/') html(accountsPage(search))
    else {
      response.statusCode = 404
      response.end('not found')
    }
  }
  return {
    metadataUrl: entityId,
    url: `${url}/sso`,
    close: () => {
      const { promise, resolve: closed } = Promise.withResolvers<void>()
      server.close(() => closed())
      server.closeAllConnections()
      return promise
    },
  }
}
