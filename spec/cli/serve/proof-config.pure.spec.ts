import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configDigest } from '../../../cli/serve/config-digest.ts'
import { InvalidConfig, readConfig } from '../../../cli/serve/config.ts'
import { keyOfSeed, privateKeyText } from '../../../runtime/proof/keys.ts'

type Variables = Readonly<Record<string, string>>

const wrongIn = (env: Variables): string[] => {
  try {
    readConfig({ SERVICE_DATA_DIR: folder, ...env })
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n')
    throw error
  }
  return []
}

const seed = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const line = (byte: number, name = 'a/log'): string => privateKeyText(name, seed(byte))
const vkey = (byte: number): string => keyOfSeed('a/log', seed(byte)).vkey
/** Writes a file and returns its path. */
const put = (name: string, text: string, mode = 0o600): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}
afterAll(() => rmSync(folder, { recursive: true }))

const checkpointsOf = (env: Variables) => readConfig({ SERVICE_DATA_DIR: folder, ...env }).checkpoints
const vkeysOf = (env: Variables) => checkpointsOf(env).keys?.map((key) => key.vkey)
const folder = mkdtempSync(join(tmpdir(), 'ers-proof-config-'))

describe('the configuration of checkpoints', () => {
  it('has the keys of a variable', () => {
    const env = { SERVICE_CHECKPOINT_KEY: `${line(1)}\n${line(2)}\n` }
    expect(vkeysOf(env)).toEqual([vkey(1), vkey(2)])
    expect(checkpointsOf(env).defaultKeyFile).toBeNull()
  })

  it('has the keys of a file, which its group may read', () => {
    const env = { SERVICE_CHECKPOINT_KEY_FILE: put('keys', `${line(3)}\n`, 0o640) }
    expect(vkeysOf(env)).toEqual([vkey(3)])
    expect(checkpointsOf(env).defaultKeyFile).toBeNull()
  })

  it('has the keys of the state directory, unless a database holds the log', () => {
    const file = put('checkpoint-key', line(4))
    expect(vkeysOf({})).toEqual([vkey(4)])
    expect(checkpointsOf({}).defaultKeyFile).toBe(file)
    expect(checkpointsOf({ SERVICE_DATABASE_URL: 'postgres://db.example/ers' })).toMatchObject({
      keys: null,
      defaultKeyFile: null,
    })
    rmSync(file)
    expect(checkpointsOf({})).toMatchObject({ keys: null, defaultKeyFile: file })
  })

  it('has interval, targets, policy and access', () => {
    const policy = put('policy', 'quorum none\n')
    const { checkpoints, proof } = readConfig({
      SERVICE_CHECKPOINT_SECONDS: '86400',
      SERVICE_CHECKPOINT_FILE: '/mnt/checkpoints',
      SERVICE_CHECKPOINT_URLS: 'https://a.example/x?y=z , http://b.example',
      SERVICE_WITNESS_POLICY_FILE: policy,
      SERVICE_CHECKPOINT_ACCESS: 'public',
      SERVICE_RECEIPTS: 'admin',
    })
    expect(checkpoints).toMatchObject({
      seconds: 86_400,
      file: '/mnt/checkpoints',
      urls: ['https://a.example/x?y=z', 'http://b.example/'],
      policy: { file: policy, bytes: Buffer.from('quorum none\n') },
    })
    expect(proof).toEqual({ checkpointAccess: 'public', receipts: 'admin' })
  })

  it.each(['SERVICE_CHECKPOINT_KEY_FILE', 'SERVICE_CHECKPOINT_FILE', 'SERVICE_WITNESS_POLICY_FILE'])(
    'has no key in place of the path in %s, and shows none',
    (name) =>
      expect(wrongIn({ [name]: line(1) })).toEqual([`${name}: is a private key, and must be the path of a file`]),
  )

  it('has no files, receivers or witnesses without a key on a database', () => {
    const policy = put('policy', 'quorum none\n')
    const env = {
      SERVICE_DATABASE_URL: 'postgres://db.example/ers',
      SERVICE_CHECKPOINT_FILE: '/mnt/checkpoints',
      SERVICE_CHECKPOINT_SECONDS: '30',
      SERVICE_CHECKPOINT_URLS: 'https://a.example',
      SERVICE_WITNESS_POLICY_FILE: policy,
    }
    const reason =
      'has no effect without a key: set SERVICE_CHECKPOINT_KEY_FILE or SERVICE_CHECKPOINT_KEY, made by "ers log keygen"'
    expect(wrongIn(env)).toEqual(
      ['FILE', 'SECONDS', 'URLS']
        .map((name) => `SERVICE_CHECKPOINT_${name}: ${reason}`)
        .concat(`SERVICE_WITNESS_POLICY_FILE: ${reason}`),
    )
    expect(wrongIn({ ...env, SERVICE_CHECKPOINT_KEY: line(1) })).toEqual([])
  })

  it.each(['checkpoint', 'checkpoint-key', 'head', 'service.db'])(
    'does not write checkpoints into %s of the store',
    (name) => {
      const file = join(folder, name)
      expect(wrongIn({ SERVICE_CHECKPOINT_FILE: file })).toEqual([
        `SERVICE_CHECKPOINT_FILE: ${file} is a file of the store itself: name another one`,
      ])
    },
  )

  it.each([
    ['SERVICE_CHECKPOINT_SECONDS', '0', 'must be a whole number from 1 to 86400'],
    ['SERVICE_CHECKPOINT_SECONDS', '86401', 'must be a whole number from 1 to 86400'],
    ['SERVICE_CHECKPOINT_SECONDS', '1.5', 'must be a whole number from 1 to 86400'],
    ['SERVICE_CHECKPOINT_URLS', 'https://a.example,ftp://b.example', 'entry 2 is not an http or https URL'],
    ['SERVICE_CHECKPOINT_URLS', 'https://secret@a.example', 'entry 1 must have no user name and no password'],
    ['SERVICE_CHECKPOINT_ACCESS', 'Admin', 'must be admin, read or public'],
    ['SERVICE_RECEIPTS', 'read', 'must be uploader or admin'],
    ['SERVICE_CHECKPOINT_KEYS', 'x', 'is not a variable of this service'],
    ['SERVICE_CHECKPOINT_KEY', `${line(1)}\n\n${line(2, 'b')}`, 'line 3 has another name than the key before'],
    ['SERVICE_CHECKPOINT_KEY', 'secret', 'line 1 is not a private key'],
    ['SERVICE_CHECKPOINT_KEY_FILE', '/no/such/file', '/no/such/file cannot be read (ENOENT)'],
    ['SERVICE_WITNESS_POLICY_FILE', '/no/such/file', '/no/such/file cannot be read (ENOENT)'],
  ])('refuses %s=%j, and names the variable', (name, value, message) => {
    const [error = '', ...others] = wrongIn({ [name]: value })
    expect(error.startsWith(`${name}: `)).toBe(true)
    expect(error).toContain(message)
    expect(error).not.toContain('secret')
    expect(others).toEqual([])
  })

  it('refuses a file of keys that every user may read', () => {
    const file = put('open', line(1), 0o644)
    expect(wrongIn({ SERVICE_CHECKPOINT_KEY_FILE: file })).toEqual([
      `SERVICE_CHECKPOINT_KEY_FILE: ${file} may be used by every user of this machine (mode 644): chmod 600`,
    ])
  })

  it.each(['SERVICE_CHECKPOINT_KEY_FILE', 'SERVICE_WITNESS_POLICY_FILE'])(
    'refuses a folder or a device as %s before it is read',
    (name) => {
      for (const path of [folder, '/dev/null'])
        expect(wrongIn({ [name]: path })).toEqual([`${name}: ${path} is not a regular file`])
    },
  )

  it('refuses a file without keys, also that of the state directory', () => {
    const file = put('checkpoint-key', '\n')
    expect(wrongIn({})).toEqual([`${file}: contains no key`])
    rmSync(file)
  })

  it('refuses keys in both variables', () =>
    expect(wrongIn({ SERVICE_CHECKPOINT_KEY: line(1), SERVICE_CHECKPOINT_KEY_FILE: put('both', line(1)) })).toEqual([
      'SERVICE_CHECKPOINT_KEY: must not be set together with SERVICE_CHECKPOINT_KEY_FILE',
    ]))

  it('accepts the variables that a container platform sets for a service of this name', () =>
    expect(wrongIn({ SERVICE_CHECKPOINT_SERVICE_HOST: '10.0.0.1' })).toEqual([]))
})

describe('the digest of a configuration', () => {
  const digestOf = (env: Variables): string => configDigest(readConfig(env))

  it('covers the verifier keys, and not where they are from', () => {
    expect(digestOf({ SERVICE_CHECKPOINT_KEY: line(1) })).not.toBe(digestOf({ SERVICE_CHECKPOINT_KEY: line(2) }))
    expect(digestOf({ SERVICE_CHECKPOINT_KEY: line(1) })).not.toBe(digestOf({}))
    expect(digestOf({ SERVICE_CHECKPOINT_KEY: line(1) })).toBe(
      digestOf({ SERVICE_CHECKPOINT_KEY_FILE: put('same', line(1)) }),
    )
  })

  it('covers no paths of URLs, which may be secrets', () => {
    const digest = digestOf({ SERVICE_CHECKPOINT_URLS: 'https://a.example/secret' })
    expect(digest).toBe(digestOf({ SERVICE_CHECKPOINT_URLS: 'https://a.example/other?x' }))
    expect(digest).not.toBe(digestOf({ SERVICE_CHECKPOINT_URLS: 'https://b.example/secret' }))
  })

  it('covers the policy', () =>
    expect(digestOf({ SERVICE_WITNESS_POLICY_FILE: put('p', 'quorum none\n') })).not.toBe(
      digestOf({ SERVICE_WITNESS_POLICY_FILE: put('p', '# other\nquorum none\n') }),
    ))
})
