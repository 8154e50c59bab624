import type { LogKey } from '../../queries/log/log-keys.ts'

/** The name of the log that follows a log: `name/2`, `name/3`, …. */
export const nextOrigin = (origin: string): string => {
  const [, name = origin, n = '1'] = /^(.+)\/(\d{1,6})$/.exec(origin) ?? []
  return `${name}/${Number(n) + 1}`
}

/**
 * Why keys of an origin may not sign; null if they may. Origins follow one another. After another origin was adopted, a
 * former one never signs again: the log may have been restored from an older copy in between, and then the former origin
 * would sign two histories. `recorded` is in the order of adoption.
 */
export const refusalOfOrigin = (
  recorded: ReadonlyArray<Pick<LogKey, 'origin' | 'adopted_seq'>>,
  origin: string,
): string | null => {
  const last = recorded.at(-1)?.origin
  if (last === undefined || last === origin || recorded.every((key) => key.origin !== origin)) return null
  const since = recorded.find((key) => key.origin === last)?.adopted_seq
  return (
    `the configured keys are of ${origin}, a former name of this log, which is signed as ${last} since record ${since}. ` +
    `A former name never signs again, because it could sign two histories. Name the file of the keys of ${last} in SERVICE_CHECKPOINT_KEY_FILE; ` +
    `if they are lost, make another one of this name with "ers log keygen --origin ${last} --out FILE", or one of a new name, such as ${nextOrigin(last)}`
  )
}
