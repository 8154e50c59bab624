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

describe('the origin of a run', () => {
  it('has its branch and short commit, marked if changes were uncommitted', () => {
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
  it('names the user who ran it, else the one who uploaded it', () => {
    expect(provenanceOf({ ...nothing, actor: 'mira', uploaded_by: 'ci' }).actor).toBe('mira')
    expect(provenanceOf({ ...nothing, uploaded_by: 'ci' }).actor).toBe('ci')
  })
  it('is null in all fields if nothing was recorded', () =>
    expect(provenanceOf(nothing)).toEqual({ branch: null, commit: null, actor: null, ci: null }))
})
