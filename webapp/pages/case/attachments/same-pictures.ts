import type { CaseInSuite } from '../../../../queries/cases/case-in-suite.ts'
import type { EvidencePart } from '../../../../queries/evidence/evidence.ts'
import { STATUS_WORDS } from '../../../runs/statuses.ts'

// The same picture of other trials and runs: by its name, else by its place.

/** A case whose pictures are shown next to those of the open one. */
export type OtherCase = {
  readonly run_id: string
  readonly case_key: string
  readonly label: string
  /** Null if it is none that this page knows. */
  readonly status: keyof typeof STATUS_WORDS | null
}

/** Whether a part is a picture, by what its manifest says. Its bytes decide how it is shown. */
const isPicture = ({ media_type, name }: EvidencePart): boolean =>
  media_type === null ? /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(name ?? '') : /^image\//i.test(media_type)

const statusOf = (status: string): OtherCase['status'] =>
  Object.keys(STATUS_WORDS).find((known): known is keyof typeof STATUS_WORDS => known === status) ?? null

/** Other trials and columns of the test in the run, then the case in other runs of the suite, the newest first. */
export const otherCases = (
  { test, history }: Pick<CaseInSuite, 'test' | 'history'>,
  { run_id, case_key }: { readonly run_id: string; readonly case_key: string },
): OtherCase[] => [
  ...test.cases
    .filter((each) => each.case_key !== case_key)
    .map(({ case_key: key, provider_id, prompt_id, repeat, status }) => ({
      run_id,
      case_key: key,
      label: [provider_id, prompt_id, repeat === null ? null : `trial ${repeat + 1}`].filter(Boolean).join(', '),
      status: statusOf(status),
    })),
  ...(history?.points ?? [])
    .filter((point) => point.run_id !== run_id)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .map((point) => ({
      run_id: point.run_id,
      case_key,
      label: `run of ${point.created_at.slice(0, 16).replace('T', ' ')}`,
      status: statusOf(point.status),
    })),
]

/** The picture among the parts of another case that is the same as one of this case; null if there is none. */
export const samePicture = (
  part: EvidencePart,
  own: readonly EvidencePart[],
  others: readonly EvidencePart[],
): EvidencePart | null => {
  const pictures = (parts: readonly EvidencePart[]): EvidencePart[] =>
    parts.filter((each) => each.role === part.role && isPicture(each))
  const named = part.name === null ? undefined : pictures(others).find(({ name }) => name === part.name)
  if (named) return named
  const place = pictures(own).findIndex(({ sha256, name }) => sha256 === part.sha256 && name === part.name)
  const found = pictures(others)[place]
  // One whose name is that of another picture of this case is the same as that one.
  return found && !pictures(own).some(({ name }) => name !== null && name === found.name) ? found : null
}
