import { describe, expect, it } from 'vitest'
import { namedStore, neededDatabase, onStore } from '../../../cli/store/store-options.ts'
import { UserError } from '../../../maintenance/user-error.ts'
import { Unavailable } from '../../../storage/errors.ts'

const url = 'postgresql://someone:hush-hush@db.example:1/ers'
const env = { SERVICE_DATABASE_URL: url, SERVICE_DATA_DIR: '/var/ers' }

describe('namedStore', () => {
  it.each([
    [
      'the folder of the option, even if the environment names other stores',
      { dataDir: '/x' },
      env,
      { kind: 'sqlite', dataDir: '/x', file: '/x/service.db' },
    ],
    ['the database of the option', { databaseUrl: url }, {}, { kind: 'postgres', url, from: '--database-url' }],
    [
      'the database of the environment, rather than its folder',
      {},
      env,
      { kind: 'postgres', url, from: 'SERVICE_DATABASE_URL' },
    ],
    [
      'the folder of the environment',
      {},
      { SERVICE_DATA_DIR: '/var/ers', SERVICE_DATABASE_URL: '' },
      { kind: 'sqlite', dataDir: '/var/ers' },
    ],
    ['/data without an option or variable', {}, {}, { kind: 'sqlite', dataDir: '/data' }],
  ])('is %s', (_, given, variables, named) => expect(namedStore(given, variables)).toMatchObject(named))

  it('requires a database for some commands', () => {
    expect(neededDatabase({}, env)).toMatchObject({ url })
    expect(() => neededDatabase({}, {})).toThrow(
      new UserError('name the database: --database-url, or SERVICE_DATABASE_URL'),
    )
  })

  it('rejects a wrong URL with an error that names its option or variable, and not the password', () => {
    expect(() => namedStore({ databaseUrl: 'mysql://u:hush-hush@h/d' }, {})).toThrow(
      /^--database-url must be a URL(?!.*hush)/s,
    )
    expect(() => namedStore({}, { SERVICE_DATABASE_URL: `${url}?sslmode=maybe` })).toThrow(
      /^SERVICE_DATABASE_URL sslmode must be one of(?!.*hush)/s,
    )
  })
})

describe('onStore', () => {
  const database = neededDatabase({}, env)
  const failing = (error: Error) => onStore(database, () => Promise.reject(error))

  it('names the address of a database that cannot be reached', async () => {
    await expect(failing(new Unavailable('the database is unavailable: ECONNREFUSED: refused'))).rejects.toThrow(
      new UserError('SERVICE_DATABASE_URL (postgresql://someone@db.example:1/ers): ECONNREFUSED: refused'),
    )
    await expect(
      failing(Object.assign(new Error('password authentication failed for user "someone"'), { code: '28P01' })),
    ).rejects.toThrow('SERVICE_DATABASE_URL (postgresql://someone@db.example:1/ers): password authentication failed')
  })

  it('does not change other errors', async () => {
    const bug = new TypeError('a bug')
    await expect(failing(bug)).rejects.toBe(bug)
  })
})
