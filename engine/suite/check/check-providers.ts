import type { AuthoredProvider } from '../shape/provider-shape.ts'
import { child, keyPath, type Path } from '../issues.ts'
import { didYouMean, quotedNames } from '../../../domain/text/nearest.ts'
import type { Findings, Numbered } from './findings.ts'

const fallbackIds = (provider: AuthoredProvider): readonly string[] => provider.fallback ?? []

/** Checks ids, fallbacks and requests of providers. `ids` are those of all providers, also of refused ones. */
export const checkProviders = (
  providers: ReadonlyArray<Numbered<AuthoredProvider>>,
  ids: readonly string[],
  findings: Findings,
): void => {
  const byId = new Map<string, Numbered<AuthoredProvider>>()
  for (const provider of providers) {
    const path = keyPath('providers', provider.index)
    const { id } = provider.value
    const first = byId.get(id)
    if (first === undefined) byId.set(id, provider)
    else
      findings.error(child(path, 'id'), `the provider id \`${id}\` is used twice; first in providers[${first.index}]`)
    checkRequestPath('request' in provider.value ? provider.value.request : undefined, child(path, 'request'), findings)
  }
  for (const { value, index } of providers) checkFallback(value, keyPath('providers', index), { byId, ids }, findings)

  const forming = providers.filter(({ value }) => value.type !== 'embeddings')
  if (
    forming.length > 0 &&
    forming.length === countForming(ids, providers) &&
    forming.every(({ value }) => value.fallback_only)
  )
    findings.error(keyPath('providers'), 'every provider is `fallback_only`; at least one must be evaluated for itself')
  const targets = new Set(providers.flatMap(({ value }) => fallbackIds(value)))
  for (const { value, index } of forming)
    if (value.fallback_only && !targets.has(value.id))
      findings.warning(
        keyPath('providers', index, 'fallback_only'),
        `\`${value.id}\` is \`fallback_only\`, but no provider falls back to it`,
      )
}

/** The number of providers that may form cells, counting refused ones. */
const countForming = (ids: readonly string[], accepted: ReadonlyArray<Numbered<AuthoredProvider>>): number =>
  ids.length - accepted.filter(({ value }) => value.type === 'embeddings').length

const checkFallback = (
  provider: AuthoredProvider,
  path: Path,
  { byId, ids }: { readonly byId: ReadonlyMap<string, Numbered<AuthoredProvider>>; readonly ids: readonly string[] },
  findings: Findings,
): void => {
  if (provider.type === 'embeddings') {
    for (const key of ['fallback', 'fallback_only'] as const)
      if (provider[key] !== undefined)
        findings.error(child(path, key), `a provider of type \`embeddings\` answers no tests and takes no \`${key}\``)
    return
  }
  const seen = new Set<string>()
  for (const [index, target] of fallbackIds(provider).entries()) {
    const at = child(child(path, 'fallback'), index)
    if (target === provider.id) findings.error(at, `\`${target}\` falls back to itself`)
    else if (!ids.includes(target))
      findings.error(
        at,
        `no provider has the id \`${target}\`; configured: ${quotedNames(ids)}${didYouMean(target, ids)}`,
      )
    const spec = byId.get(target)?.value
    if (spec?.type === 'embeddings') findings.error(at, `\`${target}\` is of type \`embeddings\` and answers no tests`)
    else if (seen.has(target)) findings.warning(at, `\`${target}\` is named twice`)
    else if (spec !== undefined && target !== provider.id && fallbackIds(spec).length > 0)
      findings.warning(at, `\`${target}\` has a \`fallback\` of its own, which is not followed from here`)
    seen.add(target)
  }
}

export const checkRequestPath = (
  request: { readonly path?: string } | undefined,
  path: Path,
  findings: Findings,
): void => {
  if (request?.path !== undefined && !request.path.startsWith('/'))
    findings.error(child(path, 'path'), `expected a path that starts with a slash, got ${JSON.stringify(request.path)}`)
}
