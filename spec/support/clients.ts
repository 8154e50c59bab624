import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bareEnvironment } from './bare-environment.ts'
import type { RunningServer } from './servers/server.ts'

const PYTHON_CLIENT = fileURLToPath(new URL('../../clients/python/', import.meta.url))

/** Whether `python3` starts here, is 3.10 or newer, and has the modules. */
export const hasPython = async (...modules: readonly string[]): Promise<boolean> => {
  const program = `import sys; assert sys.version_info >= (3, 10)${modules.map((name) => `; import ${name}`).join('')}`
  return promisify(execFile)('python3', ['-c', program], { env: bareEnvironment() }).then(
    () => true,
    () => false,
  )
}

/**
 * Runs modules of the Python client's tests against a service, with warnings as errors. Returns what they print, and throws
 * with it if one fails.
 */
export const runPythonTests = async (
  { url, token }: Pick<RunningServer, 'url' | 'token'>,
  modules: readonly string[],
): Promise<string> => {
  const { stderr } = await promisify(execFile)('python3', ['-W', 'error', '-m', 'unittest', ...modules], {
    cwd: PYTHON_CLIENT,
    env: {
      ...bareEnvironment(),
      ERS_TEST_URL: url,
      ERS_TEST_TOKEN: token,
      PYTHONPATH: 'src',
      PYTHONDONTWRITEBYTECODE: '1',
      // Names and bytes are the same on each machine.
      PYTHONUTF8: '1',
    },
  }).catch((error: Error & { stderr: string }) => {
    throw new Error(error.stderr, { cause: error })
  })
  return stderr
}
