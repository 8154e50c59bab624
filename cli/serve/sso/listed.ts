import { PROVIDER_VARIABLES, prefixOf, type ProviderKind } from '../variables.ts'

/** Environment variables, without empty values. */
export type Variables = Readonly<Record<string, string | undefined>>

/** An entry of `SERVICE_OIDC_PROVIDERS` or `SERVICE_SAML_PROVIDERS`. */
export type Listed = { readonly kind: ProviderKind; readonly name: string }

/** The values of a provider's variables by what follows the prefix. */
export const providerValues = (env: Variables, { kind, name }: Listed): Variables =>
  Object.fromEntries(PROVIDER_VARIABLES[kind].map((ending) => [ending, env[`${prefixOf(kind, name)}${ending}`]]))

/** A provider, or null and what is wrong with its variables. */
export type Read<Provider> = { readonly provider: Provider | null; readonly errors: readonly string[] }

/** What is wrong with a variable; `path` is what follows the prefix. */
export type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }

/** The errors of a provider's variables. Each names the variable and the provider. */
export const errorsOf = ({ kind, name }: Listed, issues: readonly Issue[]): string[] =>
  issues.map(({ path, message }) => `${prefixOf(kind, name)}${path.join('.')}: ${message} (provider ${name})`)

/** The label of a provider without one. */
export const defaultLabel = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
