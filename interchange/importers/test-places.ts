import type { CaseDraft } from '../document/case/case-draft.ts'
import type { Losses } from '../document/losses.ts'
import { ReadAgain } from '../document/read-again.ts'
import { shareOf } from '../document/case/scores.ts'

/** Where a test is in a report: its browser or host, and its suites or its file. Empty if the report does not say it. */
export type TestPlace = { readonly host: string; readonly suites: string }

type Seen = { readonly host: string; readonly suites: string; others: Map<string, string> | null }

/**
 * Separates tests that have one name but are in several places of a report. If one test is on two hosts, the host becomes the
 * provider of all tests that name none. If it is in two suites of one host, the suites become part of its name. Within one
 * suite, it is the next repeat of the test. The first clash may be at the end of a report: then its cases are read again.
 */
export const testPlaces = (defaultProvider: string) => {
  const seen = new Map<string, Seen>()
  const inSeveralSuites = new Set<string>()
  let isByHost = false
  let isComplete = false

  const hostOf = ({ provider }: CaseDraft, { host }: TestPlace) => (provider === defaultProvider ? host : '')

  const note = (cell: string, host: string, suites: string) => {
    const first = seen.get(cell)
    if (first === undefined) {
      seen.set(cell, { host, suites, others: null })
      return
    }
    if (first.host !== host) isByHost = true
    const known = first.host === host ? first.suites : first.others?.get(host)
    if (known === undefined) (first.others ??= new Map()).set(host, suites)
    else if (known !== suites) inSeveralSuites.add(cell)
  }

  return {
    /** Names a case. Null from the first clash on: then the cases are read again. A case with a repeat number is not renamed. */
    named: (draft: CaseDraft, place: TestPlace, losses: Losses): CaseDraft | null => {
      const { test, prompt } = draft
      if (typeof test !== 'string' || (draft.repeat ?? null) !== null) return draft
      const host = hostOf(draft, place)
      const cell = `${draft.provider ?? ''}\0${prompt ?? ''}\0${test}`
      if (!isComplete) {
        note(cell, host, place.suites)
        return isByHost || inSeveralSuites.size > 0 ? null : draft
      }
      const provider = isByHost && host !== '' ? host : draft.provider
      const isNamed = inSeveralSuites.has(cell) && place.suites !== ''
      if (provider !== draft.provider) losses.add('assumed', '(provider)', provider, 'a test is on several hosts')
      if (isNamed) losses.add('assumed', '(test)', place.suites, 'a test of this name is in several suites')
      return { ...draft, provider, test: isNamed ? `${place.suites} > ${test}` : test }
    },
    /** Call it after the last case. Throws `ReadAgain` if the names that were returned are not the final ones. */
    end: (): void => {
      const isWrong = !isComplete && (isByHost || inSeveralSuites.size > 0)
      isComplete = true
      seen.clear()
      if (isWrong) throw new ReadAgain()
    },
  }
}

/**
 * What a case of a report that this service exported has: its trial and its score, unless they cannot be right, and its name
 * without the number of the trial. The name is null if the test has no other name than its id.
 */
export const ownTrial = (title: string, test: string, repeat: number, score: number | null) => {
  const suffix = ` [${repeat + 1}]`
  const name = repeat > 0 && title.endsWith(suffix) ? title.slice(0, -suffix.length) : title
  return {
    repeat: Number.isSafeInteger(repeat) && repeat >= 0 ? repeat : null,
    score: score !== null && shareOf(score, [0, 1]) !== null ? score : undefined,
    name: name === test ? null : name,
  }
}
