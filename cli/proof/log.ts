import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { messageOf } from '../../domain/plain/message-of.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { InvalidKeys, isOrigin, keyOfSeed, parseKeys, privateKeyText, SEED_BYTES } from '../../runtime/proof/keys.ts'
import { syncFolder } from '../../storage/disk/replace-file.ts'
import { isPrivateKey } from '../../domain/proof/keys.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { exportLogCommand } from './export-log.ts'
import { privateKeyError } from './trust.ts'

export const logCommand = (): Command => {
  const log = withUsageExit(new Command('log'))
  // The error of an unknown command quotes it.
  log.configureOutput({
    outputError: (text, write) => write(isPrivateKey(text) ? `${privateKeyError().message}\n` : text),
  })
  log.addHelpText(
    'after',
    '\nExit code 0: done; 2: nothing could be done. A verifier key is public: give it to everyone who checks receipts, on a channel that this service does not control.',
  )
  log.addCommand(
    withUsageExit(new Command('keygen'))
      .description('make a private key that signs checkpoints, and print its verifier key')
      .requiredOption('--origin <name>', 'the name of the log, which no other log has: example.org/evaluations')
      .requiredOption('--out <file>', 'the new file of the key, which only its owner may read')
      .action(({ origin, out }: { origin: string; out: string }) => exitWith(() => generate(origin, out))),
  )
  log.addCommand(
    withUsageExit(new Command('key'))
      .description('print the verifier keys of a file of private keys')
      .argument('<file>', 'a file as SERVICE_CHECKPOINT_KEY_FILE names it')
      .action((file: string) => exitWith(() => print(file))),
  )
  log.addCommand(exportLogCommand())
  return log
}

const generate = async (origin: string, out: string): Promise<number> => {
  if (!isOrigin(origin))
    throw new UserError(
      '--origin must have 1 to 255 bytes, without white space, control and format characters, and "+"',
    )
  if (isPrivateKey(out)) throw privateKeyError()
  const seed = randomBytes(SEED_BYTES)
  let descriptor: number
  try {
    descriptor = openSync(out, 'wx', 0o600)
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'EEXIST')
      throw new UserError(`${out} exists already, and is not overwritten: a lost key cannot be recreated`, { cause })
    throw new UserError(`${out} cannot be written: ${messageOf(cause)}`, { cause })
  }
  try {
    writeFileSync(descriptor, `${privateKeyText(origin, seed)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  syncFolder(dirname(out))
  await writeStdout(`${keyOfSeed(origin, seed).vkey}\n`)
  return 0
}

const print = async (file: string): Promise<number> => {
  if (isPrivateKey(file)) throw privateKeyError()
  try {
    const keys = parseKeys(readFileSync(file, 'utf8'))
    await writeStdout(keys.map(({ vkey }) => `${vkey}\n`).join(''))
    return 0
  } catch (cause) {
    const message =
      cause instanceof InvalidKeys ? `${file}: ${cause.message}` : `${file} cannot be read: ${messageOf(cause)}`
    throw new UserError(message, { cause })
  }
}
