import type { Ports } from '../ports.ts'
import type { Json } from '../json.ts'
import type { ExpandedTest, GraderSpec, ProviderSpec, Suite, VendorSpec } from '../suite/suite.ts'
import { graderEndpoint } from './preflight.ts'
import { readProviderHeaders } from './provider-headers.ts'
import { secretPassed, secretVariablesIn, writtenSecrets } from './secret-names.ts'
import { credentialVariables } from './vendor/credentials.ts'
import type { VendorFamily } from './vendor/families.ts'

/** Secrets of one part of a suite: names of variables, and values that are written in full, by the name of their header. */
type Secrets = {
  readonly variables: Iterable<string>
  readonly written?: ReadonlyArray<readonly [name: string, value: string]>
}

/**
 * The secrets that a run of a suite uses, each with the name of its variable or header: credentials of providers and judges,
 * secret variables in requests, headers of credentials, variables of `pass_env`, and `SERVICE_TOKEN`. A redactor of them
 * cleans what is stored and printed.
 */
export const suiteSecrets = (
  suite: Suite,
  tests: ReadonlyArray<Pick<ExpandedTest, 'assert'>>,
  env: Ports['env'],
): ReadonlyArray<readonly [name: string, value: string]> => {
  const graders = new Set([suite.grader, ...tests.flatMap(({ assert }) => assert.map(({ grader }) => grader))])
  const parts: readonly Secrets[] = [
    { variables: ['SERVICE_TOKEN'] },
    secretsOfRequest(readProviderHeaders(env), []),
    ...suite.providers.map(secretsOfProvider),
    ...suite.tests.flatMap((source) =>
      source.kind === 'generator' ? [{ variables: secretPassed(source.pass_env ?? []) }] : [],
    ),
    ...[...graders].flatMap((grader) => (grader === undefined ? [] : [secretsOfJudge(grader)])),
  ]
  const names = new Set(parts.flatMap(({ variables }) => [...variables]))
  const values = [...names].flatMap((name) => {
    const value = env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return [...values, ...parts.flatMap(({ written = [] }) => written)]
}

const secretsOfRequest = (headers: Readonly<Record<string, string>>, others: readonly Json[]): Secrets => ({
  variables: secretVariablesIn(headers, others),
  written: writtenSecrets(headers),
})

const secretsOfProvider = (spec: ProviderSpec): Secrets => {
  if (spec.type === 'exec') return { variables: secretPassed(spec.pass_env ?? []) }
  if (spec.type === 'http') return secretsOfRequest(spec.headers, [spec.url, spec.body ?? null])
  return secretsOfEndpoint(spec.type, spec)
}

const secretsOfJudge = (grader: GraderSpec): Secrets => {
  const { type } = grader.provider
  return secretsOfEndpoint(type === 'anthropic' ? 'anthropic' : 'openai', graderEndpoint(grader))
}

const secretsOfEndpoint = (family: VendorFamily, spec: VendorSpec): Secrets => {
  const { path, query, headers, body } = spec.request
  const request = secretsOfRequest(headers, [path ?? '', query, body ?? null])
  return { ...request, variables: [...credentialVariables(family, spec), ...request.variables] }
}
