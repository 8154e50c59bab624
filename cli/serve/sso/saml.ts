import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { IdpMetadata, IdpSource, SamlProviderConfig } from '../../../http/sso/config.ts'
import { readCertificates, UnusableCertificate } from '../../../http/sso/saml/certificates.ts'
import {
  MAX_ENTITY_ID,
  MAX_METADATA_BYTES,
  readIdpMetadata,
  UnusableMetadata,
} from '../../../http/sso/saml/idp-metadata.ts'
import { Switch } from '../fields.ts'
import { prefixOf, type PROVIDER_VARIABLES } from '../variables.ts'
import { Rules, Text, WebUrl } from './fields.ts'
import { errorsOf, defaultLabel, providerValues, type Issue, type Listed, type Read, type Variables } from './listed.ts'

const Certificates = z.string().transform((text, context): readonly string[] => {
  try {
    return readCertificates(text)
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error
    context.addIssue({
      code: 'custom',
      message: `a certificate, in PEM or base64, is expected; the value ${error.message}`,
    })
    return z.NEVER
  }
})

/** A file that is not metadata of an identity provider. The message gives the reason, without the path. */
class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

const readMetadataFile = (path: string): string => {
  try {
    const facts = statSync(path)
    if (facts.isDirectory()) throw new UnusableFile('is a folder')
    if (!facts.isFile()) throw new UnusableFile('is not a file')
    if (facts.size > MAX_METADATA_BYTES) throw new UnusableFile(`has more than ${MAX_METADATA_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof UnusableFile) throw error
    if (error instanceof TypeError) throw new UnusableFile('is not in UTF-8', { cause: error })
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new UnusableFile(`cannot be read (${code})`, { cause: error })
  }
}

const MetadataFile = z.string().transform((path, context): IdpMetadata => {
  try {
    return readIdpMetadata(readMetadataFile(path))
  } catch (error) {
    if (!(error instanceof UnusableFile || error instanceof UnusableMetadata)) throw error
    context.addIssue({ code: 'custom', message: `the file ${error.message}` })
    return z.NEVER
  }
})

const Saml = z.object({
  ...Rules,
  IDP_METADATA_URL: WebUrl.optional(),
  IDP_METADATA_FILE: MetadataFile.optional(),
  IDP_SSO_URL: WebUrl.optional(),
  IDP_CERT: Certificates.optional(),
  SP_ENTITY_ID: Text.max(MAX_ENTITY_ID, `must have at most ${MAX_ENTITY_ID} characters`).optional(),
  EMAIL_ATTR: Text.nullable().default(null),
  GROUPS_ATTR: Text.default('groups'),
  ALLOW_IDP_INITIATED: Switch.default(false),
} satisfies Record<(typeof PROVIDER_VARIABLES.SAML)[number], z.ZodType>)

/** What is wrong with the choice of a source for the identity provider, whatever the values are. */
const sourceIssues = (values: Variables, prefix: string): Issue[] => {
  const isSet = (ending: string): boolean => values[ending] !== undefined
  const sources = `${prefix}IDP_METADATA_URL, ${prefix}IDP_METADATA_FILE, or ${prefix}IDP_SSO_URL with ${prefix}IDP_CERT`
  const pair = ['IDP_SSO_URL', 'IDP_CERT'].filter(isSet)
  const chosen = ['IDP_METADATA_URL', 'IDP_METADATA_FILE'].filter(isSet).concat(pair.slice(0, 1))
  const missing = pair[0] === 'IDP_CERT' ? 'IDP_SSO_URL' : 'IDP_CERT'
  return [
    ...(pair.length === 1 ? [{ path: [missing], message: `must be set together with ${prefix}${pair[0]}` }] : []),
    ...(chosen.length === 0 ? [{ path: ['IDP_METADATA_URL'], message: `set exactly one of ${sources}` }] : []),
    ...chosen.slice(1).map((second) => ({
      path: [second],
      message: `must not be set together with ${prefix}${chosen[0]}: set exactly one of ${sources}`,
    })),
  ]
}

const metadataSource = (data: z.output<typeof Saml>): IdpSource | null => {
  if (data.IDP_METADATA_URL !== undefined) return { from: 'url', url: data.IDP_METADATA_URL }
  if (data.IDP_METADATA_FILE) return { from: 'configuration', metadata: data.IDP_METADATA_FILE }
  const { IDP_SSO_URL: ssoUrl, IDP_CERT: certificates } = data
  if (ssoUrl === undefined || !certificates) return null
  // Without metadata the entity id is not known: responses must name this URL as their issuer.
  return { from: 'configuration', metadata: { entityId: ssoUrl, ssoUrl, certificates } }
}

/** Reads the variables of a SAML identity provider, and the file of metadata that they may name. */
export const readSaml = (env: Variables, listed: Listed, publicUrl: string): Read<SamlProviderConfig> => {
  const values = providerValues(env, listed)
  const { success, data, error } = Saml.safeParse(values)
  const issues = [...sourceIssues(values, prefixOf(listed.kind, listed.name)), ...(success ? [] : error.issues)]
  const idp = success ? metadataSource(data) : null
  if (!success || !idp || issues.length > 0) return { provider: null, errors: errorsOf(listed, issues) }
  return {
    provider: {
      kind: 'saml',
      name: listed.name,
      label: data.LABEL ?? defaultLabel(listed.name),
      idp,
      spEntityId: data.SP_ENTITY_ID ?? `${publicUrl}/api/v1/auth/saml/${listed.name}/metadata`,
      emailAttr: data.EMAIL_ATTR,
      groupsAttr: data.GROUPS_ATTR,
      allowIdpInitiated: data.ALLOW_IDP_INITIATED,
      adminGroups: data.ADMIN_GROUPS,
      adminEmails: data.ADMIN_EMAILS,
      groupRoles: data.GROUP_ROLES,
      groupGrants: data.GROUP_GRANTS,
      allowedDomains: data.ALLOWED_EMAIL_DOMAINS,
    },
    errors: [],
  }
}
