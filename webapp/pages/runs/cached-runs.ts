import { formatCount } from '../../text/format.ts'

/** Says how many runs the list hides because all of their answers came from the cache, as the beginning of a sentence. */
export const cachedWords = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'run was' : 'runs were'} answered from the cache`

/** The button that shows them. */
export const showCachedWords = (count: number): string => (count === 1 ? 'Show it' : 'Show them')
