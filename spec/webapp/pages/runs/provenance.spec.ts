import { describe, expect, it } from 'vitest'
import { provenanceOf } from '../../../../webapp/pages/runs/provenance.ts'

const nothing = {
  git_branch: null,
  git_commit: null,
  git_dirty: null,
  actor: null,
  uploaded_by: null,
  ci_provider: null,
  ci_run_url: null,
}

describe('where a run comes from', () => {
  it('is its branch and short commit, marked where changes were not committed', () => {
    expect(
      provenanceOf({
        ...nothing,
        git_branch: 'main',
        git_commit: '59d4e93c133612a0319d135bb0eb08bbcead9fa2',
        git_dirty: true,
      }),
    ).toMatchObject({ branch: 'main', commit: '59d4e93c*' })
    expect(provenanceOf({ ...nothing, git_commit: '59d4e93c1336', git_dirty: null }).commit).toBe('59d4e93c')
  })
  it('names who ran it, else who uploaded it', () => {
    expect(provenanceOf({ ...nothing, actor: 'mira', uploaded_by: 'ci' }).actor).toBe('mira')
    expect(provenanceOf({ ...nothing, uploaded_by: 'ci' }).actor).toBe('ci')
  })
  it('is nothing where nothing was recorded', () =>
    expect(provenanceOf(nothing)).toEqual({ branch: null, commit: null, actor: null, ci: null }))
})
