import { existsSync, readFileSync } from 'node:fs'
import { Option } from 'commander'
import { messageOf } from '../../domain/plain/message-of.ts'
import type { Trust } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { fromUtf8 } from '../../domain/proof/bytes.ts'
import { isPrivateKey, parseVkey, type Vkey } from '../../domain/proof/keys.ts'
import { parsePolicy } from '../../domain/proof/policy.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { repeated } from '../terminal/option-values.ts'

/** The options that name what is trusted, as commander parses them. */
export type TrustSelection = { readonly key: readonly string[]; readonly policy?: string }

/** `--key`, which may be repeated, and `--policy`. */
export const trustOptions = (): readonly Option[] => [
  new Option('--key <vkey|file>', 'a verifier key to trust, or a file with one on each line; may be repeated')
    .argParser(repeated)
    .default([], 'none'),
  new Option(
    '--policy <file>',
    'a policy (C2SP tlog-policy): logs, witnesses, and how many witnesses must have signed',
  ),
]

/**
 * Reads what `--key` and `--policy` name. Throws `UserError` if neither is given or a file cannot be read, `ProofFailed` 20
 * if a key or the policy is malformed.
 */
export const readTrust = async ({ key, policy }: TrustSelection): Promise<Trust> => {
  if (key.length === 0 && policy === undefined)
    throw new UserError(
      'Give --key with the verifier key of the log, or --policy. Ask the people who run the log for it, not the log itself: a key that came with the receipt proves nothing',
    )
  const keys = await Promise.all(key.map(readKeys))
  return {
    keys: keys.flat(),
    policy: policy === undefined ? null : await parsePolicy(readNamedFile(policy), nodeCrypto),
  }
}

/**
 * The keys of one `--key`. A text with a plus is a vkey, unless it is the path of a file. It may be a private key that was
 * given by mistake, so it is never quoted, and a private key is refused before it is taken for a path.
 */
const readKeys = async (text: string): Promise<Vkey[]> => {
  if (text.includes('+') && (isPrivateKey(text) || !existsSync(text))) return [await keyAt('--key', text)]
  const content = fromUtf8(readNamedFile(text))
  if (content === null) throw new ProofFailed(20, `${text} is not UTF-8 text`)
  const keys: Vkey[] = []
  for (const [n, line] of content.split('\n').entries()) {
    const trimmed = withoutBlanks(line)
    if (trimmed !== '') keys.push(await keyAt(`${text}, line ${n + 1}`, trimmed))
  }
  if (keys.length === 0) throw new ProofFailed(20, `${text} has no verifier key`)
  return keys
}

const BLANKS = ' \t\r'

/** Not `trim`: a byte order mark, or a space of Unicode, would be a part of a name. */
const withoutBlanks = (line: string): string => {
  let [from, to] = [0, line.length]
  while (from < to && BLANKS.includes(line.charAt(from))) from++
  while (from < to && BLANKS.includes(line.charAt(to - 1))) to--
  return line.slice(from, to)
}

const keyAt = async (place: string, text: string): Promise<Vkey> => {
  try {
    return await parseVkey(text, nodeCrypto)
  } catch (error) {
    throw error instanceof ProofFailed ? new ProofFailed(error.code, `${place}: ${error.message}`) : error
  }
}

/** The bytes of a file that the user named. Throws `UserError` if it cannot be read. */
const readNamedFile = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** The error of a file that cannot be read. A private key that was given in place of a path is not printed. */
export const cannotRead = (path: string, error: unknown): UserError =>
  isPrivateKey(path)
    ? privateKeyError()
    : new UserError(`${path} cannot be read: ${messageOf(error)}`, {
        cause: error,
      })

/** The error of a private key in place of a path. It has no cause, whose message would quote the key. */
export const privateKeyError = (): UserError =>
  new UserError(
    'A private key was given in place of a file. It is not printed here, but it may be in the history of your shell: if others can read that, make a new key',
  )
