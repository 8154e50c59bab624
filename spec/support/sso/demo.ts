import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { freePort } from '../../../cli/bootstrap/start.mjs'
import { UserError } from '../../../cli/bootstrap/user-error.mjs'
import { uploadSamples } from '../documents/sample-data.ts'
import { startServer } from '../servers/server.ts'
import { startOidcProvider } from './oidc/oidc-provider.ts'
import { startSamlIdp } from './saml/saml-idp-server.ts'

// Starts the service next to an OpenID provider and a SAML identity provider, to try single sign-on on one machine:
// `npm run sso:demo`, or `npm run sso:demo -- --port 9000`. The store and all accounts are deleted at the end.

const COMMAND = 'npm run sso:demo'

const readPort = async (): Promise<number> => {
  const { values, tokens } = parseArgs({
    options: { port: { type: 'string', default: '8321' } },
    strict: false,
    tokens: true,
  })
  if (tokens.some((token) => token.kind !== 'option' || token.name !== 'port'))
    throw new UserError(`usage: ${COMMAND} -- --port 9000`)
  const text = String(values.port)
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
    throw new UserError('--port must be a number from 1 to 65535')
  return freePort(Number(text), COMMAND)
}

const port = await readPort().catch((error: unknown) => {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exit(1)
})

// All three have the same host name: over http, browsers send the cookie of a SAML sign-in only within one site.
const publicUrl = `http://127.0.0.1:${port}`
const ADMINS = ['evals-admins']
/** A local account, without which the first visitor would be asked to create one. */
const LOCAL = { name: 'root', password: 'correct horse battery' }

const oidc = await startOidcProvider({
  publicUrl,
  name: 'openid',
  accounts: [
    { sub: 'oidc-1', email: 'mira@example.com', email_verified: true, groups: ADMINS },
    { sub: 'oidc-2', email: 'jon@example.com', email_verified: true, groups: ['research'] },
    { sub: 'oidc-3', email: 'eve@example.org', email_verified: true, groups: [] },
  ],
})
const saml = await startSamlIdp({
  publicUrl,
  provider: 'saml',
  accounts: [
    { name: 'saml-1', email: 'noor@example.com', groups: ADMINS },
    { name: 'saml-2', email: 'theo@example.com', groups: ['research'] },
    { name: 'saml-3', email: 'eve@example.org', groups: [] },
  ],
  now: Date.now,
})
const server = await startServer({
  port,
  env: {
    SERVICE_PUBLIC_URL: publicUrl,
    SERVICE_ADMIN_USER: LOCAL.name,
    SERVICE_ADMIN_PASSWORD: LOCAL.password,
    SERVICE_OIDC_PROVIDERS: 'openid',
    SERVICE_OIDC_OPENID_LABEL: 'OpenID Connect',
    SERVICE_OIDC_OPENID_ISSUER: oidc.issuer,
    SERVICE_OIDC_OPENID_CLIENT_ID: oidc.clientId,
    SERVICE_OIDC_OPENID_CLIENT_SECRET: oidc.clientSecret,
    SERVICE_OIDC_OPENID_ADMIN_GROUPS: ADMINS.join(','),
    SERVICE_OIDC_OPENID_ALLOWED_EMAIL_DOMAINS: 'example.com',
    SERVICE_SAML_PROVIDERS: 'saml',
    SERVICE_SAML_SAML_LABEL: 'SAML',
    SERVICE_SAML_SAML_IDP_METADATA_URL: saml.metadataUrl,
    SERVICE_SAML_SAML_ADMIN_GROUPS: ADMINS.join(','),
    SERVICE_SAML_SAML_ALLOWED_EMAIL_DOMAINS: 'example.com',
  },
})
await uploadSamples(server, ['agbenchmark'])

console.log(`
The service with two identity providers is ready: ${publicUrl}/login

Choose a provider, and one of its people: the first is an admin, the second a member, and the third has an e-mail address
of another domain, so the sign-in is refused. The SAML provider can also start a sign-in itself, which the service
refuses: ${saml.url}

There is a local admin too: ${LOCAL.name}, with the password "${LOCAL.password}".

Stop with Ctrl-C. Refused sign-ins are shown here:
`)

const { stderr } = server.process
if (stderr) {
  createInterface({ input: stderr }).on('line', (line) => {
    if (!line.startsWith('{')) return
    const { msg, provider, code, reason } = JSON.parse(line) as Record<string, unknown>
    if (msg === 'a sign-in was refused') console.log(`${msg}: ${String(provider)}, ${String(code)}: ${String(reason)}`)
  })
}

const stop = async (): Promise<void> => {
  await server.stop()
  await Promise.all([oidc.close(), saml.close()])
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    stop().catch((error: unknown) => {
      console.error(error)
      process.exitCode = 1
    })
  })
