// How `npm start` reads its terminal. Plain JavaScript with built-in modules only, like bootstrap.mjs.
import { readFileSync } from 'node:fs'

/**
 * Whether a process may read the terminal, by its line in `/proc/PID/stat` (proc(5)): its process group is the one in the
 * foreground. In the background, a change of the terminal would stop the process.
 */
export const isInForeground = (stat) => {
  // The name of the program is in parentheses, and may hold any characters.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group !== undefined && group === foreground
}

/** Whether this process may read keys: its input and output are a terminal, and it is known to be in the foreground. */
export const mayReadKeys = ({ stdin, stdout, platform } = process) => {
  if (!stdin.isTTY || !stdout.isTTY) return false
  if (platform === 'win32') return true
  return platform === 'linux' && isInForeground(readFileSync('/proc/self/stat', 'utf8'))
}

const CTRL_C = '\x03'

/**
 * Calls `onHelp` for each `?` that is pressed. Meanwhile the terminal sends no signal for Ctrl-C, so this calls `interrupt`.
 * Returns a function that stops reading keys.
 */
export const watchKeys = (onHelp, { stdin, stdout, interrupt }) => {
  const onData = (keys) => {
    for (const key of keys.toString()) {
      if (key === '?') onHelp()
      if (key === '\r') stdout.write('\n')
      if (key === CTRL_C) interrupt()
    }
  }
  stdin.setRawMode(true)
  stdin.on('data', onData)
  // It must not keep the process alive.
  stdin.unref?.()
  return () => {
    stdin.off('data', onData)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
