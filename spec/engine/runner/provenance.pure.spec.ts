import { describe, expect, it } from 'vitest'
import { branchOf, provenanceMode, readProvenance, type ProvenanceSources } from '../../../engine/runner/provenance.ts'

const REPOSITORY: Record<string, string> = {
  'rev-parse --is-inside-work-tree': 'true\n',
  'rev-parse --abbrev-ref HEAD': 'main\n',
  'rev-parse HEAD': 'c0ffee\n',
  'status --porcelain': '',
}
const gitOf = (answers: Record<string, string>) => async (args: readonly string[]) => answers[args.join(' ')] ?? null
const from = (more: Partial<ProvenanceSources> = {}) =>
  readProvenance({
    env: {},
    mode: 'full',
    git: gitOf(REPOSITORY),
    user: 'ada',
    host: 'box',
    version: '0.1.0',
    note: 'nightly',
    ...more,
  })

describe('where a run took place', () => {
  it('is git, the user and the host', async () => {
    expect(await from()).toEqual({
      git: { branch: 'main', commit: 'c0ffee', dirty: false },
      origin: { actor: 'ada', host: 'box', version: '0.1.0', note: 'nightly' },
    })
  })

  it('has no git outside of a repository', async () => expect(await from({ git: gitOf({}) })).not.toHaveProperty('git'))

  it('is dirty with any change', async () => {
    const git = gitOf({ ...REPOSITORY, 'status --porcelain': '?? new.txt\n' })
    expect(await from({ git })).toMatchObject({ git: { dirty: true } })
  })

  it('has no branch at a detached head, and no commit before the first one', async () => {
    const git = gitOf({ 'rev-parse --is-inside-work-tree': 'true', 'rev-parse --abbrev-ref HEAD': 'HEAD\n' })
    expect((await from({ git })).git).toEqual({ dirty: false })
  })

  it('prefers variables to the user, the host and the branch', async () => {
    const env = { SERVICE_ACTOR: '', GITHUB_ACTOR: 'bot', SERVICE_HOST: 'ci-7', GITHUB_REF: 'refs/heads/feature' }
    expect(await from({ env })).toMatchObject({ git: { branch: 'feature' }, origin: { actor: 'bot', host: 'ci-7' } })
  })

  it('withholds who and where if anonymous, and everything if off', async () => {
    const env = { CI: '1' }
    expect(await from({ env, mode: 'anonymous' })).toEqual({
      git: { branch: 'main', commit: 'c0ffee', dirty: false },
      ci: { provider: 'ci' },
      origin: { redacted: true, version: '0.1.0', note: 'nightly' },
    })
    expect(await from({ env, mode: 'off' })).toEqual({})
  })

  it.each([
    [
      {
        GITHUB_ACTIONS: 'true',
        GITHUB_SERVER_URL: 'https://g.test',
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_RUN_ID: '7',
        CI: '1',
      },
      { provider: 'github', run_url: 'https://g.test/a/b/actions/runs/7' },
    ],
    [{ GITHUB_ACTIONS: 'true' }, { provider: 'github' }],
    [
      { GITLAB_CI: 'true', CI_JOB_URL: 'https://l.test/1' },
      { provider: 'gitlab', run_url: 'https://l.test/1' },
    ],
    [
      { JENKINS_URL: 'x', BUILD_URL: 'https://j.test/1' },
      { provider: 'jenkins', run_url: 'https://j.test/1' },
    ],
    [{ CI: 'true' }, { provider: 'ci' }],
    [{ CI: '' }, undefined],
  ])('knows the CI system of %j', async (env, ci) => {
    expect((await from({ env })).ci).toEqual(ci)
  })
})

it.each([
  [{ SERVICE_BRANCH: 'mine', GITHUB_HEAD_REF: 'theirs' }, 'mine'],
  [{ GITHUB_HEAD_REF: '', GITHUB_REF: 'refs/pull/7/merge', DRONE_BRANCH: 'd' }, 'd'],
  [{ GIT_BRANCH: 'origin/main' }, 'main'],
  [{ BUILD_SOURCEBRANCH: 'refs/remotes/origin/x' }, 'x'],
  [{ BRANCH_NAME: 'HEAD' }, 'local'],
  [{}, 'local'],
])('the branch of %j is %s', (env, branch) => {
  expect(branchOf(env, 'local\n')).toBe(branch)
})

describe('how much a run records', () => {
  it.each([
    [undefined, false, 'full'],
    ['', true, 'anonymous'],
    ['ON', false, 'full'],
    ['1', true, 'anonymous'],
    ['anon', false, 'anonymous'],
    ['off', true, 'off'],
    ['none', false, 'off'],
    ['0', false, 'off'],
  ])('for %j, withheld %s, is %s', (value, withheld, mode) => {
    expect(provenanceMode(value, withheld)).toEqual({ mode })
  })

  it('warns of an unknown value and records everything', () => {
    expect(provenanceMode('maybe', false)).toEqual({
      mode: 'full',
      warning: 'SERVICE_PROVENANCE is `maybe`; accepted are full, anonymous and off. The run records everything.',
    })
  })
})
