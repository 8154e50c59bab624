import { existsSync, readFileSync } from 'node:fs'
import { Option } from 'commander'
import type { Trust } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { isPrivateKey, parseVkey } from '../../domain/proof/keys.ts'
import type { Vkey } from '../../domain/proof/keys.ts'
import { parsePolicy } from '../../domain/proof/policy.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'

/** The options that name what is trusted, as commander parses them. */
export type GivenTrust = { readonly key: readonly string[]; readonly policy?: string }

const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value]

/** `--key`, which may be repeated, and `--policy`. */
export const trustOptions = (): readonly Option[] => [
  new Option('--key <vkey|file>', 'a verifier key to trust, or a file with one on each line; may be repeated')
    .argParser(collect)
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
export const readTrust = async ({ key, policy }: GivenTrust): Promise<Trust> => {
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
  if (text.includes('+') && (isPrivateKey(text) || !existsSync(text))) return [await parseVkey(text, nodeCrypto)]
  const lines = readNamedFile(text)
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) throw new ProofFailed(20, `${text} has no verifier key`)
  return Promise.all(lines.map((line) => parseVkey(line, nodeCrypto)))
}

/** The bytes of a file that the user named. Throws `UserError` if it cannot be read. */
const readNamedFile = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** The error of a file that cannot be read. */
export const cannotRead = (path: string, error: unknown): UserError =>
  new UserError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
