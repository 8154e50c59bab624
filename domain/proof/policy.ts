import { equal, fromUtf8, utf8 } from './bytes.ts'
import type { ProofCrypto } from './crypto.ts'
import { ProofFailed } from './failed.ts'
import { parseVkey, type Vkey } from './keys.ts'

/** A log whose checkpoints count. Keys of type 6 may be listed, but match no log: see check.ts. */
type PolicyLog = { readonly vkey: Vkey; readonly url: string | null }

/**
 * A witness. `name` is its name in the policy, which need not be that of its key: opaque octets, each of them one character.
 * `wordText` makes a text of it for people.
 */
type PolicyWitness = { readonly name: string; readonly vkey: Vkey; readonly url: string | null }

/** A group of witnesses and earlier groups, by their octets. At least `threshold` of its members must have signed. */
type PolicyGroup = { readonly name: string; readonly threshold: number; readonly members: readonly string[] }

/**
 * A policy of C2SP tlog-policy. `groups` are in the order of the file. `quorum` is the name of a witness or group, null if
 * no cosignature is required.
 */
export type Policy = {
  readonly logs: readonly PolicyLog[]
  readonly witnesses: readonly PolicyWitness[]
  readonly groups: readonly PolicyGroup[]
  readonly quorum: string | null
}

/**
 * Whether the witnesses whose cosignatures were verified, by the octets of their names in the policy, are as many as it
 * requires.
 */
export const meetsQuorum = (
  { groups, quorum }: Pick<Policy, 'groups' | 'quorum'>,
  verified: ReadonlySet<string>,
): boolean => {
  if (quorum === null) return true
  const met = new Set(verified)
  // A group names only what stands before it. Without recursion, so that thousands of nested groups are no problem.
  for (const { name, threshold, members } of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name)
    else met.delete(name)
  return met.has(quorum)
}

/** More members are not listed in a message. */
const LISTED_MEMBERS = 8

/** What a policy requires, for people: the name of a witness, or `2 of w1, w2, w3`. */
export const quorumText = ({ groups, quorum }: Pick<Policy, 'groups' | 'quorum'>): string => {
  if (quorum === null) return 'no witness'
  const group = groups.find(({ name }) => name === quorum)
  if (!group) return wordText(quorum)
  const { threshold, members } = group
  const names = members.slice(0, LISTED_MEMBERS).map(wordText)
  const count = threshold === members.length ? 'all' : threshold
  return `${count} of ${[...names, ...(members.length > names.length ? ['…'] : [])].join(', ')}`
}

/** More than any policy needs. */
const MAX_LINES = 4096

// Names are opaque octets: each byte is one character here, and only vkeys and URLs are decoded. Two names with different
// octets may have one text, so that a decoded name must never be compared.
const octets = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const decoded = (word: string): string | null => fromUtf8(Uint8Array.from(word, (unit) => unit.charCodeAt(0)))

/** A name or URL of a policy as text. Octets that are not UTF-8 are shown as Latin-1. */
export const wordText = (name: string): string => decoded(name) ?? name

const FORBIDDEN = /[^\t\n\u0020-\u007e\u0080-\u00ff]/
const BLANK = /[ \t]+/

/** Parses a policy file. Throws `ProofFailed` 20, whose message names the line, unless it follows C2SP tlog-policy. */
export const parsePolicy = async (file: string | Uint8Array, crypto: Pick<ProofCrypto, 'sha256'>): Promise<Policy> => {
  const text = octets(typeof file === 'string' ? utf8(file) : file)
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) throw new ProofFailed(20, `the policy has more than ${MAX_LINES} lines`)
  const reader = policyReader()
  for (const [n, line] of lines.entries()) {
    const words = line.split(BLANK).filter((word) => word !== '')
    try {
      if (FORBIDDEN.test(line)) throw new ProofFailed(20, 'control characters other than tabs are not allowed')
      if (words[0]?.startsWith('#') !== true && words.length > 0) await reader.add(words, crypto)
    } catch (error) {
      if (error instanceof ProofFailed) throw new ProofFailed(20, `line ${n + 1} of the policy: ${error.message}`)
      throw error
    }
  }
  return reader.policy()
}

const NONE = 'none'

/** Key names are UTF-8 (C2SP signed-note): a vkey in other octets is the vkey of no key. */
const vkeyIn = async (word: string, crypto: Pick<ProofCrypto, 'sha256'>): Promise<Vkey> => {
  const text = decoded(word)
  if (text === null) throw new ProofFailed(20, 'the verifier key is not UTF-8 text')
  return parseVkey(text, crypto)
}

/** Collects the lines of a policy in their order. A line may only name what stands on earlier lines. */
const policyReader = () => {
  const logs: PolicyLog[] = []
  const witnesses: PolicyWitness[] = []
  const groups: PolicyGroup[] = []
  const named = new Set<string>()
  const grouped = new Set<string>()
  let quorum: string | null | undefined

  const addLog = async ([text, url, ...rest]: readonly string[], crypto: Pick<ProofCrypto, 'sha256'>) => {
    if (text === undefined || rest.length > 0) throw new ProofFailed(20, 'expected: log <vkey> [<url>]')
    const vkey = await vkeyIn(text, crypto)
    if (vkey.type === 4) throw new ProofFailed(20, 'a key of type 4 is for witnesses, not for logs')
    if (logs.some((log) => equal(log.vkey.key, vkey.key)))
      throw new ProofFailed(20, 'the key of this log is listed twice')
    logs.push({ vkey, url: url === undefined ? null : wordText(url) })
  }

  const addWitness = async ([name, text, url, ...rest]: readonly string[], crypto: Pick<ProofCrypto, 'sha256'>) => {
    if (name === undefined || text === undefined || rest.length > 0)
      throw new ProofFailed(20, 'expected: witness <name> <vkey> [<url>]')
    const vkey = await vkeyIn(text, crypto)
    if (vkey.type === 1) throw new ProofFailed(20, 'a key of type 1 is for logs, not for witnesses')
    if (witnesses.some((witness) => equal(witness.vkey.key, vkey.key)))
      throw new ProofFailed(20, 'the key of this witness is listed twice')
    define(name)
    witnesses.push({ name, vkey, url: url === undefined ? null : wordText(url) })
  }

  const define = (name: string) => {
    if (name === NONE || named.has(name)) throw new ProofFailed(20, `the name ${wordText(name)} is taken`)
    named.add(name)
  }

  const checkDefined = (name: string) => {
    if (!named.has(name)) throw new ProofFailed(20, `no earlier line defines ${wordText(name)}`)
  }

  const addGroup = ([name, count, ...members]: readonly string[]) => {
    if (name === undefined || count === undefined || members.length === 0)
      throw new ProofFailed(20, 'expected: group <name> all|any|<k> <name>…')
    for (const member of members) {
      if (grouped.has(member)) throw new ProofFailed(20, `${wordText(member)} is a member already`)
      checkDefined(member)
      grouped.add(member)
    }
    const threshold =
      count === 'all' ? members.length : count === 'any' ? 1 : /^[1-9]\d{0,4}$/.test(count) ? Number(count) : 0
    if (threshold < 1 || threshold > members.length)
      throw new ProofFailed(20, `the group needs all, any, or a number from 1 to ${members.length}`)
    define(name)
    groups.push({ name, threshold, members })
  }

  const setQuorum = ([name, ...rest]: readonly string[]) => {
    if (name === undefined || rest.length > 0) throw new ProofFailed(20, 'expected: quorum <name>')
    if (quorum !== undefined) throw new ProofFailed(20, 'there is a quorum already')
    if (name !== NONE) checkDefined(name)
    quorum = name === NONE ? null : name
  }

  return {
    add: async ([keyword, ...words]: readonly string[], crypto: Pick<ProofCrypto, 'sha256'>): Promise<void> => {
      if (keyword === 'log') await addLog(words, crypto)
      else if (keyword === 'witness') await addWitness(words, crypto)
      else if (keyword === 'group') addGroup(words)
      else if (keyword === 'quorum') setQuorum(words)
      else throw new ProofFailed(20, 'a line begins with log, witness, group or quorum')
    },
    policy: (): Policy => {
      if (quorum === undefined) throw new ProofFailed(20, 'the policy has no quorum line')
      return { logs, witnesses, groups, quorum }
    },
  }
}
