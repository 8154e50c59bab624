/**
 * How long after the answer to a write its event may arrive. The server sends events four times a second, and a replica
 * reads the log of another one first.
 */
const MAX_DELAY_MS = 3_000

let running = 0
let answeredAt = -Infinity

/** Notes a write of this page, which ends with the promise. */
export const noteWrite = (answer: Promise<unknown>): void => {
  running++
  const end = (): void => {
    running--
    answeredAt = performance.now()
  }
  answer.then(end, end)
}

/** Whether an event that arrives now may be about a write of this page. */
export const isOwnWriteRecent = (): boolean => running > 0 || performance.now() - answeredAt < MAX_DELAY_MS
