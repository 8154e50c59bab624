/** A pause that is longer counts as this long: the person did something else. */
const MAX_IDLE_MS = 60_000
const ACTIVITY = ['keydown', 'pointermove', 'pointerdown', 'scroll'] as const

/** Counts how long a case was looked at, without pauses and without the time in which its window was hidden. */
export const watchTime = () => {
  let counted = 0
  let last = Date.now()
  const note = (): void => {
    const now = Date.now()
    counted += Math.min(now - last, MAX_IDLE_MS)
    last = now
  }
  // A window that was hidden is as one that was just opened.
  const turn = (): void => {
    if (document.hidden) note()
    else last = Date.now()
  }
  for (const name of ACTIVITY) addEventListener(name, note, { passive: true, capture: true })
  document.addEventListener('visibilitychange', turn)
  return {
    start: (): void => {
      counted = 0
      last = Date.now()
    },
    /** Seconds since the start, to a tenth, and at most an hour. */
    seconds: (): number => {
      note()
      return Math.min(3_600, Math.round(counted / 100) / 10)
    },
    stop: (): void => {
      for (const name of ACTIVITY) removeEventListener(name, note, { capture: true })
      document.removeEventListener('visibilitychange', turn)
    },
  }
}
