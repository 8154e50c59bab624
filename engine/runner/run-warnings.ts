import { assertionGraders, graderEndpoint } from '../providers/preflight.ts'
import { readProviderHeaders } from '../providers/provider-headers.ts'
import { variablesIn } from '../providers/wire/rendering.ts'
import type { Json } from '../json.ts'
import type { Ports } from '../ports.ts'
import type { ExpandedTest, GraderSpec, LoadedSuite, ProviderSpec, VendorSpec } from '../suite/suite.ts'

/** Warnings about a suite that only a run gives: deprecated keys, and variables in requests. Throws `UsageError` for a bad SERVICE_PROVIDER_HEADERS. */
export const runWarnings = (
  { suite, snapshot }: Pick<LoadedSuite, 'suite' | 'snapshot'>,
  tests: ReadonlyArray<Pick<ExpandedTest, 'id' | 'assert'>>,
  env: Ports['env'],
): readonly string[] => {
  const { backend } = suite.cache
  const written = snapshot['cache']
  return [
    ...(backend === 'http' || backend === 's3'
      ? [`cache.backend: \`${backend}\` is deprecated; write \`layered\``]
      : []),
    ...(typeof written === 'object' && written !== null && 'grader' in written
      ? ['cache.grader is deprecated; run with --no-grader-cache instead of `grader: false`']
      : []),
    ...suite.providers.flatMap((spec) => variableWarning(`provider \`${spec.id}\``, comparableRequest(spec))),
    ...variableWarning('SERVICE_PROVIDER_HEADERS', readProviderHeaders(env)),
    ...(suite.grader === undefined ? [] : graderWarning('grader', suite.grader)),
    ...assertionGraders(tests).flatMap(({ path, grader }) => graderWarning(path, grader)),
  ]
}

const graderWarning = (path: string, grader: GraderSpec): readonly string[] =>
  variableWarning(path, vendorRequest(graderEndpoint(grader)))

/** The templates of a request: URL, headers and body. Programs have none. */
const comparableRequest = (spec: ProviderSpec): Json => {
  if (spec.type === 'exec') return null
  return spec.type === 'http' ? [spec.url, spec.headers, spec.body ?? null] : vendorRequest(spec)
}

const vendorRequest = ({ request: { path, query, headers, body } }: VendorSpec): Json => [
  path ?? null,
  query,
  headers,
  body ?? null,
]

const variableWarning = (what: string, request: Json): readonly string[] => {
  const names = [...variablesIn(request)]
  if (names.length === 0) return []
  const shown = names.map((name) => `\${env:${name}}`).join(', ')
  return [
    `${what}: the values of ${names.join(', ')} are sent, but the run and the cache record ${shown}: another value has the same cache key`,
  ]
}
