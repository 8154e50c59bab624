import type { RunDocument } from './run-document.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Runs git in the folder of the suite and returns its stdout; null if it failed, for example outside of a repository. */
export type GitRunner = (args: readonly string[]) => Promise<string | null>

export type ProvenanceMode = 'full' | 'anonymous' | 'off'

/** What is known of the place of a run besides its environment. */
export type ProvenanceSources = {
  readonly env: Env
  readonly mode: ProvenanceMode
  readonly git: GitRunner
  readonly user: string | undefined
  readonly host: string | undefined
  readonly version: string
  /** `--note`, else the description of the suite. */
  readonly note: string | undefined
}

export type Provenance = Pick<RunDocument, 'git' | 'ci' | 'origin'>

const MODES: Readonly<Record<string, ProvenanceMode>> = {
  full: 'full',
  on: 'full',
  true: 'full',
  '1': 'full',
  anonymous: 'anonymous',
  anon: 'anonymous',
  off: 'off',
  none: 'off',
  false: 'off',
  '0': 'off',
}

/** The variables that may name the branch, most important first. */
const BRANCH_VARIABLES = [
  'SERVICE_BRANCH',
  'GITHUB_HEAD_REF',
  'GITHUB_REF',
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
  'CI_COMMIT_BRANCH',
  'BUILDKITE_BRANCH',
  'CIRCLE_BRANCH',
  'TRAVIS_PULL_REQUEST_BRANCH',
  'TRAVIS_BRANCH',
  'DRONE_SOURCE_BRANCH',
  'DRONE_BRANCH',
  'BITBUCKET_BRANCH',
  'APPVEYOR_REPO_BRANCH',
  'SYSTEM_PULLREQUEST_SOURCEBRANCH',
  'BUILD_SOURCEBRANCH',
  'BRANCH_NAME',
  'GIT_BRANCH',
]
const ACTOR_VARIABLES = ['SERVICE_ACTOR', 'GITHUB_ACTOR', 'GITLAB_USER_LOGIN', 'BUILDKITE_BUILD_CREATOR', 'BUILD_USER']
const BRANCH_PREFIXES = ['refs/heads/', 'refs/remotes/origin/', 'origin/']

/**
 * How much of its place a run records: `SERVICE_PROVENANCE`, made anonymous by `--no-provenance`. `warning` is set for a
 * value that is not known, which counts as `full`.
 */
export const provenanceMode = (
  value: string | undefined,
  withheld: boolean,
): { readonly mode: ProvenanceMode; readonly warning?: string } => {
  const known = value === undefined || value === '' ? 'full' : MODES[value.toLowerCase()]
  const mode = known ?? 'full'
  return {
    mode: mode === 'full' && withheld ? 'anonymous' : mode,
    ...(known === undefined && {
      warning: `SERVICE_PROVENANCE is \`${value}\`; accepted are full, anonymous and off. The run records everything.`,
    }),
  }
}

/**
 * Where a run took place: git, the CI system, and who started it. Environment variables of CI systems win over git,
 * because a CI system checks out a commit, not a branch.
 */
export const readProvenance = async (sources: ProvenanceSources): Promise<Provenance> => {
  const { env, mode, user, host, version, note } = sources
  if (mode === 'off') return {}
  const [git, ci] = [await gitOf(sources), ciOf(env)]
  const identity =
    mode === 'anonymous'
      ? { redacted: true }
      : {
          ...optional('actor', firstSet(env, ACTOR_VARIABLES) ?? user),
          ...optional('host', firstSet(env, ['SERVICE_HOST']) ?? host),
        }
  return {
    ...(git && { git }),
    ...(ci && { ci }),
    origin: { ...identity, version, ...optional('note', note) },
  }
}

const optional = <K extends string>(name: K, value: string | undefined): { readonly [key in K]?: string } =>
  value === undefined || value === '' ? {} : ({ [name]: value } as { readonly [key in K]: string })

const firstSet = (env: Env, names: readonly string[]): string | undefined => {
  const name = names.find((candidate) => (env[candidate] ?? '') !== '')
  return name === undefined ? undefined : env[name]
}

/** The branch that the environment names, or that git reports; null if none is usable. */
export const branchOf = (env: Env, gitBranch: string | null): string | null => {
  for (const value of [...BRANCH_VARIABLES.map((name) => env[name]), gitBranch ?? undefined]) {
    const branch = usableBranch(value)
    if (branch !== null) return branch
  }
  return null
}

const usableBranch = (value: string | undefined): string | null => {
  const text = value?.trim() ?? ''
  const prefix = BRANCH_PREFIXES.find((candidate) => text.startsWith(candidate)) ?? ''
  const branch = text.slice(prefix.length)
  return branch === '' || branch === 'HEAD' || branch.startsWith('refs/') ? null : branch
}

const gitOf = async ({ env, git }: ProvenanceSources): Promise<RunDocument['git'] | null> => {
  const inside = await git(['rev-parse', '--is-inside-work-tree'])
  if (inside?.trim() !== 'true') return null
  const [branch, commit, changes] = await Promise.all([
    git(['rev-parse', '--abbrev-ref', 'HEAD']),
    git(['rev-parse', 'HEAD']),
    git(['status', '--porcelain']),
  ])
  return {
    ...optional('branch', branchOf(env, branch) ?? undefined),
    ...optional('commit', commit?.trim()),
    dirty: (changes ?? '').trim() !== '',
  }
}

const ciOf = (env: Env): RunDocument['ci'] | null => {
  const set = (name: string): string | undefined => firstSet(env, [name])
  if (set('GITHUB_ACTIONS') !== undefined) {
    const [server, repository, id] = [set('GITHUB_SERVER_URL'), set('GITHUB_REPOSITORY'), set('GITHUB_RUN_ID')]
    const url = server && repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined
    return { provider: 'github', ...optional('run_url', url) }
  }
  if (set('GITLAB_CI') !== undefined) return { provider: 'gitlab', ...optional('run_url', set('CI_JOB_URL')) }
  if (set('JENKINS_URL') !== undefined) return { provider: 'jenkins', ...optional('run_url', set('BUILD_URL')) }
  return set('CI') === undefined ? null : { provider: 'ci' }
}
