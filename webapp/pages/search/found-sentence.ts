import { plural } from '../../text/format.ts'
import { canIndexKnow } from './sure-words.ts'

/** How many of a kind are found, and whether older ones match too. */
type Found = { readonly count: number; readonly more: boolean }

const LIST = new Intl.ListFormat('en-GB', { style: 'long', type: 'conjunction' })

/** What a search found, up to the words that it was for: `2 runs, 1 comment and the newest 500 cases contain all of`. */
export const foundSentence = ({
  q,
  runs,
  cases,
  comments,
}: {
  readonly q: string
  readonly runs: Found & { readonly isId: boolean }
  readonly cases: Found
  readonly comments: Found
}): string => {
  const others = [
    ...(runs.count === 0 ? [] : [`${runs.more ? 'the newest ' : ''}${plural(runs.count, 'run')}`]),
    ...(comments.count === 0 ? [] : [`${comments.more ? 'at least ' : ''}${plural(comments.count, 'comment')}`]),
  ]
  const all = LIST.format([...others, `${cases.more ? 'the newest ' : ''}${plural(cases.count, 'case')}`])
  if (runs.isId) return `${all} are found for`
  const isSure = canIndexKnow(q)
  // If the index cannot know which cases contain a text, it still knows the words in the text.
  if (!isSure && cases.count === 0)
    return others.length === 0
      ? 'No words are found for'
      : `${LIST.format([...others, 'no words of cases'])} are found for`
  const isOne = others.length === 0 && cases.count === 1
  const verb = isSure ? (isOne ? 'contains' : 'contain') : `${isOne ? 'has' : 'have'} words of`
  return `${all} ${verb}${isSure && /\s/.test(q) ? ' all of' : ''}`
}
