import type { Ports } from '../ports.ts'
import type { AssertionSpec, ExpandedTest, GraderSpec, Suite, VendorSpec } from '../suite/suite.ts'
import { readProviderHeaders } from './provider-headers.ts'
import { findCredential, missingCredential } from './vendor/credentials.ts'
import { FAMILIES, type VendorFamily } from './vendor/families.ts'

/** What is wrong with the credentials of a run. A run with errors is not started (exit code 2). */
export type PreflightFindings = { readonly errors: readonly string[]; readonly warnings: readonly string[] }

/** What a run is going to do: the ids of providers that form its cells, and its tests. */
export type PreflightSelection = {
  readonly providerIds: ReadonlySet<string>
  readonly tests: ReadonlyArray<Pick<ExpandedTest, 'id' | 'assert'>>
}

type Subject = { readonly path: string; readonly family: VendorFamily; readonly spec: VendorSpec }

/**
 * Checks the credentials that a run needs, all at once: of selected providers of both vendor
 * families, of the judges of selected tests, and of the embeddings provider if a selected test has `similar`. Findings
 * name variables, never values.
 */
export const preflight = (suite: Suite, selection: PreflightSelection, env: Ports['env']): PreflightFindings => {
  const globalHeaders = readProviderHeaders(env)
  const findings = subjectsOf(suite, selection).map((subject) => check(subject, Object.keys(globalHeaders), env))
  return {
    errors: findings.flatMap(({ errors }) => errors),
    warnings: findings.flatMap(({ warnings }) => warnings),
  }
}

/** The block of a judge as the vendor transport takes it: what the grader itself says wins. */
export const graderEndpoint = ({ provider, api_key_env, base_url, params }: GraderSpec): VendorSpec => ({
  ...provider,
  ...(api_key_env === undefined ? {} : { api_key_env }),
  ...(base_url === undefined ? {} : { base_url }),
  params: { ...provider.params, ...params },
})

/**
 * The graders of the rubrics of tests, each with the path of its first place. Equal graders are one: tests share those of
 * `defaults` and of their matrix.
 */
export const assertionGraders = (
  tests: PreflightSelection['tests'],
): ReadonlyArray<{ readonly path: string; readonly grader: GraderSpec }> => {
  const found = new Map<string, { readonly path: string; readonly grader: GraderSpec }>()
  for (const { id, assert } of tests)
    for (const [index, assertion] of assert.entries()) {
      const { grader } = assertion
      if (!isRubric(assertion) || grader === undefined) continue
      const text = JSON.stringify(grader)
      if (!found.has(text)) found.set(text, { path: `test ${id}: assert[${index}].grader`, grader })
    }
  return [...found.values()]
}

const subjectsOf = (suite: Suite, { providerIds, tests }: PreflightSelection): readonly Subject[] => {
  const assertions = tests.flatMap(({ assert }) => assert)
  const usesSuiteGrader = assertions.some((assertion) => isRubric(assertion) && assertion.grader === undefined)
  const usesEmbeddings = assertions.some(({ kind }) => kind === 'similar')
  const firstEmbeddings = suite.providers.findIndex(({ type }) => type === 'embeddings')
  const providers = suite.providers.flatMap((spec, index): Subject[] => {
    const path = `providers[${index}] (id: ${spec.id})`
    if (spec.type === 'embeddings')
      return usesEmbeddings && index === firstEmbeddings ? [{ path, family: spec.type, spec }] : []
    if (spec.type !== 'anthropic' && spec.type !== 'openai') return []
    return providerIds.has(spec.id) && !spec.fallback_only ? [{ path, family: spec.type, spec }] : []
  })
  return [
    ...providers,
    ...(usesSuiteGrader && suite.grader !== undefined ? judge('grader', suite.grader) : []),
    ...assertionGraders(tests).flatMap(({ path, grader }) => judge(path, grader)),
  ]
}

const isRubric = ({ kind }: AssertionSpec): boolean => kind === 'llm-rubric'

/** A judge of an unsupported type is a matter of grading, not of credentials. */
const judge = (path: string, grader: GraderSpec): readonly Subject[] => {
  const { type } = grader.provider
  return type === 'anthropic' || type === 'openai' ? [{ path, family: type, spec: graderEndpoint(grader) }] : []
}

const check = (
  { path, family, spec }: Subject,
  globalHeaders: readonly string[],
  env: Ports['env'],
): PreflightFindings => {
  const auth = spec.request.auth ?? FAMILIES[family].auth
  if (auth === 'none') return { errors: [], warnings: [] }
  const header = auth === 'api_key' ? 'x-api-key' : 'authorization'
  const declared = [...globalHeaders, ...Object.keys(spec.request.headers)]
  if (declared.some((name) => name.toLowerCase() === header))
    return {
      errors: [],
      warnings: [
        `${path}: the declared header \`${header}\` replaces the credential; \`auth: none\` says that this is meant`,
      ],
    }
  const credential = findCredential(family, spec, env)
  if (credential === null) return { errors: [`${path}: ${missingCredential(family, spec)}`], warnings: [] }
  if (family !== 'anthropic' || auth !== 'api_key' || !credential.value.startsWith('sk-ant-oat'))
    return { errors: [], warnings: [] }
  const finding = `${path}: environment variable \`${credential.name}\` holds an OAuth token, which is sent as a bearer token (\`request.auth: bearer\`), not as an API key`
  return isVendorHost(spec.base_url ?? FAMILIES.anthropic.address)
    ? { errors: [finding], warnings: [] }
    : { errors: [], warnings: [finding] }
}

const isVendorHost = (address: string): boolean =>
  URL.canParse(address) && new URL(address).hostname === new URL(FAMILIES.anthropic.address).hostname
