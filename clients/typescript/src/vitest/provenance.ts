import { execFileSync } from 'node:child_process'
import { named, wellFormed } from './texts.ts'

type Environment = Readonly<Record<string, string | undefined>>

const askGit = (folder: string, ...args: readonly string[]): string | undefined => {
  try {
    const stdout = execFileSync('git', ['-C', folder, ...args], {
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return stdout.toString().trim() || undefined
  } catch {
    // No repository, or no git: a run without a commit is complete too.
    return undefined
  }
}

/** Branch and commit: of the CI, which often works on a commit without a branch, else of the folder. */
export const gitOf = (environment: Environment, folder: string): object | undefined => {
  const set = (name: string): string | undefined => environment[name] || undefined
  const commit = set('GITHUB_SHA') ?? set('CI_COMMIT_SHA') ?? askGit(folder, 'rev-parse', 'HEAD')
  if (commit === undefined) return undefined
  const branch =
    set('GITHUB_HEAD_REF') ??
    set('GITHUB_REF_NAME') ??
    set('CI_COMMIT_REF_NAME') ??
    askGit(folder, 'symbolic-ref', '--short', '-q', 'HEAD')
  return {
    ...(branch === undefined ? {} : { branch: named(branch) }),
    commit: wellFormed(commit),
    dirty: askGit(folder, 'status', '--porcelain', '--untracked-files=no') !== undefined,
  }
}

/** The job of the continuous integration, if there is one. */
export const ciOf = (environment: Environment): object | undefined => {
  const { GITHUB_SERVER_URL = '', GITHUB_REPOSITORY = '', GITHUB_RUN_ID = '', CI_JOB_URL, BUILD_URL } = environment
  if (environment['GITHUB_ACTIONS'] === 'true')
    return { provider: 'github', run_url: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}` }
  if (environment['GITLAB_CI'] === 'true') return { provider: 'gitlab', ...(CI_JOB_URL ? { run_url: CI_JOB_URL } : {}) }
  if (environment['JENKINS_URL']) return { provider: 'jenkins', ...(BUILD_URL ? { run_url: BUILD_URL } : {}) }
  return environment['CI'] === 'true' || environment['CI'] === '1' ? { provider: 'ci' } : undefined
}
