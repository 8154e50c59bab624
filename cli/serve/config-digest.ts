import { createHash } from 'node:crypto'
import type { ProviderConfig } from '../../http/sso/config.ts'
import { redactedUrl } from '../../storage/postgres/address.ts'
import type { Config } from './config.ts'

/** A provider without its secret, and without the e-mail addresses of its admins. */
const withoutSecrets = ({ adminEmails, ...provider }: ProviderConfig) => {
  const shown = { ...provider, adminEmails: adminEmails.length }
  if (shown.kind === 'saml') return shown
  const { clientSecret: _secret, ...oidc } = shown
  return oidc
}

/**
 * Identifies the configuration in the audit trail. Does not include secrets and names, because weak ones could be
 * guessed from the digest. Includes the keys of `Config`, so renaming a key changes the digest.
 */
export const configDigest = ({
  tokens,
  adminUser: _user,
  adminPassword: _password,
  secretKey: _key,
  // The level of log lines has no effect on what is stored.
  quietRequests: _quiet,
  database,
  sso,
  checkpoints,
  ...config
}: Config): string => {
  const shown = {
    ...config,
    database: database && {
      ...database,
      url: redactedUrl(database.url),
      readUrl: database.readUrl && redactedUrl(database.readUrl),
    },
    tokens: tokens.map(({ scope, position }) => ({ scope, position })),
    checkpoints: {
      ...checkpoints,
      keys: checkpoints.keys?.map(({ vkey }) => vkey) ?? null,
      // The paths of URLs often contain secrets.
      urls: checkpoints.urls.map((url) => new URL(url).origin),
      policy: checkpoints.policy && createHash('sha256').update(checkpoints.policy.bytes).digest('hex'),
    },
    sso: sso && { ...sso, providers: sso.providers.map(withoutSecrets) },
  }
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}
