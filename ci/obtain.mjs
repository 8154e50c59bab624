// The first step: finds or installs the program, and outputs the command that runs it.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { InputError, runProgram, setOutput, variable } from './runner.mjs'

export const obtain = async () => {
  const given = variable('INPUT_BINARY_PATH').trim()
  if (given !== '') {
    const path = resolve(given)
    if (!existsSync(path)) throw new InputError(`the input binary-path names no file: ${given}`)
    setCommand(path)
    return 0
  }
  const checkout = await checkoutOf(variable('INPUT_VERSION').trim())
  if (!existsSync(join(checkout, 'node_modules')))
    await needed('the program cannot be installed', ['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], checkout)
  setCommand(join(checkout, 'cli', 'ers.mjs'))
  return 0
}

const setCommand = (path) =>
  setOutput('command', JSON.stringify(/\.[mc]?[jt]s$/.test(path) ? [process.execPath, path] : [path]))

/** The folder of a version: that of this action, or a clone of a tag. */
const checkoutOf = async (version) => {
  if (version === '' || version === 'latest') return variable('GITHUB_ACTION_PATH')
  if (!/^[\w][\w./-]*$/.test(version)) throw new InputError(`the input version is no tag: ${version}`)
  const repository = variable('ACTION_REPOSITORY')
  if (repository === '') throw new InputError('the input version needs an action of a repository, not of a folder')
  const folder = join(variable('RUNNER_TEMP'), `ers-${version.replaceAll('/', '-')}`)
  const url = `${variable('GITHUB_SERVER_URL')}/${repository}`
  const clone = ['git', 'clone', '--quiet', '--depth', '1', '--branch', version, '--', url, folder]
  if (!existsSync(folder)) await needed(`the version ${version} cannot be fetched`, clone)
  return folder
}

const needed = async (what, command, cwd) => {
  const { code, stderr } = await runProgram(command, { cwd })
  if (code !== 0) throw new InputError(`${what}: ${stderr.trim().split('\n').at(-1) ?? `exit code ${code}`}`)
}
