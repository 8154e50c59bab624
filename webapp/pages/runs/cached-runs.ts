import { formatCount } from '../../text/format.ts'

/** What is hidden from the list because all of its answers came from the cache, as a sentence without its end. */
export const cachedWords = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'run was' : 'runs were'} answered from the cache`

/** The button that shows them. */
export const showCachedWords = (count: number): string => (count === 1 ? 'Show it' : 'Show them')
