// How `npm start` reads and writes its terminal. Plain JavaScript with built-in modules only, like bootstrap.mjs.
/* global clearInterval, setInterval */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** The paths of a lock file's packages that are installed on a machine. */
export const packagePaths = ({ packages }, { platform, arch }) => {
  const takes = (allowed, value) => allowed === undefined || allowed.includes(value)
  return Object.entries(packages).flatMap(([path, { os, cpu }]) =>
    path !== '' && takes(os, platform) && takes(cpu, arch) ? [path] : [],
  )
}

/**
 * Prints how many packages are installed, because npm prints nothing for minutes: on a terminal in one line, else a line
 * every `quietMs` milliseconds. Returns a function that stops it.
 */
export const showInstalling = (root, paths, { stderr = process.stderr, everyMs = 500, quietMs = 15_000 } = {}) => {
  let printed = -1
  let last = Date.now()
  const count = () => paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const print = () => {
    if (!stderr.isTTY && Date.now() - last < quietMs) return
    const installed = count()
    if (installed === printed) return
    printed = installed
    last = Date.now()
    const text = `${installed} of ${paths.length} packages`
    stderr.write(stderr.isTTY ? `\r${text}` : `${text}\n`)
  }
  const timer = setInterval(print, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    if (stderr.isTTY && printed >= 0) stderr.write('\r\x1b[K')
  }
}
