import { readFileSync } from 'node:fs'

/** Whether a process runs. One that ended counts as gone, also where no parent has collected it yet. */
export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
  try {
    // The state follows the name of the program, which is in parentheses.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return process.platform !== 'linux'
    throw error
  }
}
