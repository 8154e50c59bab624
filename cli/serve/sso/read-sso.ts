import { z } from 'zod'
import type { ProviderConfig, SsoConfig } from '../../../http/sso/config.ts'
import { listEntries } from '../fields.ts'
import { isInjected, isKnown, likelyTypos, PROVIDER_VARIABLES, prefixOf, type ProviderKind } from '../variables.ts'
import type { Listed, Read, Variables } from './listed.ts'
import { readOidc } from './oidc.ts'
import { readSaml } from './saml.ts'

const MAX_CLOCK_SKEW_SECS = 600

const Global = z.object({
  SERVICE_SSO_CLOCK_SKEW_SECS: z
    .string()
    .refine(
      (text) => /^\d{1,3}$/.test(text.trim()) && Number(text) <= MAX_CLOCK_SKEW_SECS,
      `must be a whole number from 0 to ${MAX_CLOCK_SKEW_SECS}`,
    )
    .transform(Number)
    .default(60),
  SERVICE_SSO_DEFAULT_ROLE: z
    .enum(['reviewer', 'viewer', 'member'], {
      error: ({ input }) =>
        input === 'admin'
          ? 'must not be admin, because every account of a provider would be an admin: name admins in …_ADMIN_GROUPS or …_ADMIN_EMAILS'
          : 'must be reviewer, viewer or member',
    })
    .default('member'),
})

const KINDS = ['OIDC', 'SAML'] as const satisfies readonly ProviderKind[]

const listVariable = (kind: ProviderKind): string => `SERVICE_${kind}_PROVIDERS`

const isName = (name: string): boolean => /^[a-z0-9-]+$/.test(name)

/** The entries of both lists, OIDC first, invalid ones included, and what is wrong with them. */
const readLists = (env: Variables): { readonly listed: readonly Listed[]; readonly errors: readonly string[] } => {
  const listed: Listed[] = []
  const errors: string[] = []
  for (const kind of KINDS) {
    for (const [i, name] of listEntries(env[listVariable(kind)] ?? '').entries()) {
      if (!isName(name))
        errors.push(`${listVariable(kind)}: entry ${i + 1} is not a name of the characters a-z, 0-9 and -`)
      else if (listed.some((other) => other.name === name))
        errors.push(
          `${listVariable(kind)}: entry ${i + 1} names the provider ${name} a second time; names must be unique`,
        )
      listed.push({ kind, name })
    }
  }
  return { listed, errors }
}

const isGlobal = (variable: string): boolean =>
  Object.hasOwn(Global.shape, variable) || KINDS.some((kind) => variable === listVariable(kind))

/** Errors for variables that would have no effect: misspelt names, and those of providers that are not listed. */
const unknownVariables = (env: Variables, listed: readonly Listed[]): string[] =>
  Object.keys(env)
    .filter((variable) => /^SERVICE_(?:SSO|OIDC|SAML)_/.test(variable) && !isInjected(variable))
    .sort()
    .flatMap((variable) => {
      if (isGlobal(variable)) return []
      const owners = listed
        .map(({ kind, name }) => ({ kind, name, prefix: prefixOf(kind, name) }))
        .filter(({ prefix }) => variable.startsWith(prefix))
        // Of the providers `my` and `my-idp` the longer name is probably meant.
        .sort((a, b) => b.prefix.length - a.prefix.length)
      const isRead = owners.some(({ kind, prefix }) =>
        (PROVIDER_VARIABLES[kind] as readonly string[]).includes(variable.slice(prefix.length)),
      )
      // A name that is invalid is reported, and not repeated here.
      if (isRead || owners.some(({ name }) => !isName(name))) return []
      if (owners.length === 0 && isKnown(variable)) {
        const list = listVariable(variable.startsWith('SERVICE_OIDC_') ? 'OIDC' : 'SAML')
        return [`${variable}: belongs to a provider that ${list} does not name`]
      }
      const [{ known } = { known: '' }] = likelyTypos({ [variable]: 'set' })
      const isMeant = isGlobal(known) || listed.some(({ kind, name }) => known.startsWith(prefixOf(kind, name)))
      const [owner] = owners
      return [
        `${variable}: is not a variable of ${owner ? `the provider ${owner.name}` : 'this service'}${isMeant ? `: did you mean ${known}?` : ''}`,
      ]
    })

/**
 * Reads the identity providers, and the files that their variables name. `env` has no empty values. `sso` is null if no
 * provider is configured, or if there are errors. Each error begins with a variable, names its provider, and quotes no
 * value.
 */
export const readSso = (env: Variables): { readonly sso: SsoConfig | null; readonly errors: readonly string[] } => {
  const { listed, errors: listErrors } = readLists(env)
  // Its form is checked with the other variables.
  const publicUrl = env['SERVICE_PUBLIC_URL'] ?? ''
  const valid = listed.filter(({ name }, i) => isName(name) && listed.findIndex((other) => other.name === name) === i)
  const read = valid.map((one): Read<ProviderConfig> =>
    one.kind === 'OIDC' ? readOidc(env, one) : readSaml(env, one, publicUrl),
  )
  const global = Global.safeParse(
    Object.fromEntries(Object.keys(Global.shape).map((variable) => [variable, env[variable]])),
  )
  const errors = [
    ...listErrors,
    ...(listed.length > 0 && publicUrl === ''
      ? ['SERVICE_PUBLIC_URL: must be set if there are identity providers']
      : []),
    ...(listed.length > 0
      ? []
      : Object.keys(Global.shape)
          .filter((variable) => env[variable] !== undefined)
          .map((variable) => `${variable}: must be set together with ${KINDS.map(listVariable).join(' or ')}`)),
    ...(global.success ? [] : global.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)),
    ...read.flatMap((one) => one.errors),
    ...unknownVariables(env, listed),
  ]
  if (listed.length === 0 || !global.success || errors.length > 0) return { sso: null, errors }
  return {
    sso: {
      publicUrl,
      clockSkewSecs: global.data.SERVICE_SSO_CLOCK_SKEW_SECS,
      defaultRole: global.data.SERVICE_SSO_DEFAULT_ROLE,
      providers: read.flatMap(({ provider }) => provider ?? []),
    },
    errors: [],
  }
}
