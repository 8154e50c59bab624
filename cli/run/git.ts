import { execFile } from 'node:child_process'
import { hostname, userInfo } from 'node:os'
import type { GitRunner } from '../../engine/runner/provenance.ts'

/** A repository on a slow disk must not hold a finished run up for longer. */
const GIT_TIMEOUT_MS = 10_000

/** Runs git in a folder. */
export const gitIn =
  (directory: string): GitRunner =>
  (args) =>
    new Promise((resolve) => {
      execFile('git', [...args], { cwd: directory, timeout: GIT_TIMEOUT_MS, windowsHide: true }, (error, stdout) =>
        resolve(error === null ? stdout : null),
      )
    })

/** The name of the user and of the host; absent where the system does not know them. */
export const thisMachine = (): { readonly user: string | undefined; readonly host: string | undefined } => {
  let user: string | undefined
  try {
    user = userInfo().username
  } catch {
    // The user id has no name, as in many containers.
  }
  return { user, host: hostname() || undefined }
}
