import type { Ports } from '../ports.ts'
import type { GraderSpec, ProviderSpec, Suite, VendorSpec } from '../suite/suite.ts'
import type { ExpandedTest } from '../suite/suite.ts'
import { graderEndpoint } from './preflight.ts'
import { readProviderHeaders } from './provider-headers.ts'
import { secretPassed, secretVariablesIn } from './secret-names.ts'
import { credentialVariables } from './vendor/credentials.ts'
import type { VendorFamily } from './vendor/families.ts'

/**
 * The secrets that a run of a suite uses, by the name of their variable: credentials of providers and judges, secret
 * variables in requests, those of `pass_env`, and `SERVICE_TOKEN`. A redactor of them cleans what is stored and printed.
 */
export const suiteSecrets = (
  suite: Suite,
  tests: ReadonlyArray<Pick<ExpandedTest, 'assert'>>,
  env: Ports['env'],
): ReadonlyMap<string, string> => {
  const names = new Set(['SERVICE_TOKEN', ...secretVariablesIn(readProviderHeaders(env), [])])
  const add = (more: Iterable<string>) => {
    for (const name of more) names.add(name)
  }
  for (const spec of suite.providers) add(variablesOf(spec))
  for (const source of suite.tests) if (source.kind === 'generator') add(secretPassed(source.pass_env ?? []))
  if (suite.grader !== undefined) add(variablesOfJudge(suite.grader))
  for (const { assert } of tests)
    for (const { grader } of assert) if (grader !== undefined) add(variablesOfJudge(grader))
  return new Map(
    [...names].flatMap((name) => {
      const value = env[name]
      return value === undefined || value === '' ? [] : [[name, value] as const]
    }),
  )
}

const variablesOf = (spec: ProviderSpec): readonly string[] => {
  if (spec.type === 'exec') return secretPassed(spec.pass_env ?? [])
  if (spec.type === 'http') return [...secretVariablesIn(spec.headers, [spec.url, spec.body ?? null])]
  return variablesOfEndpoint(spec.type, spec)
}

const variablesOfJudge = (grader: GraderSpec): readonly string[] => {
  const { type } = grader.provider
  return variablesOfEndpoint(type === 'anthropic' ? 'anthropic' : 'openai', graderEndpoint(grader))
}

const variablesOfEndpoint = (family: VendorFamily, spec: VendorSpec): readonly string[] => {
  const { path, query, headers, body } = spec.request
  return [...credentialVariables(family, spec), ...secretVariablesIn(headers, [path ?? '', query, body ?? null])]
}
