type Output = { isTTY?: boolean; write: (text: string) => unknown }
type Input = {
  isTTY?: boolean
  setRawMode: (isRaw: boolean) => unknown
  on: (event: 'data', listener: (keys: Buffer) => void) => unknown
  off: (event: 'data', listener: (keys: Buffer) => void) => unknown
  pause: () => unknown
  unref?: () => unknown
}

export const isInForeground: (stat: string) => boolean
export const mayReadKeys: (machine?: {
  stdin: { isTTY?: boolean }
  stdout: { isTTY?: boolean }
  platform: string
}) => boolean
export const watchKeys: (
  onHelp: () => void,
  terminal: { stdin: Input; stdout: Output; interrupt: () => void },
) => () => void
