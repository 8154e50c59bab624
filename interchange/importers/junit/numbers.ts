/** Reads a number of seconds. Some tools write it with commas between thousands. Null if it is none. */
export const secondsOf = (text: string | null): number | null => {
  const plain = text?.trim().replace(/,(?=\d{3}(?:\D|$))/g, '')
  if (plain === undefined || !/^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(plain)) return null
  return Number(plain)
}
