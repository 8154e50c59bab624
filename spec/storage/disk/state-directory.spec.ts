import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  checkStateDirectory,
  makeStateDirectory,
  StateDirectoryUnusable,
} from '../../../storage/disk/state-directory.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { startServer } from '../../support/servers/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-state-'))
writeFileSync(join(folder, 'file'), '')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a state directory', () => {
  it('that exists and is writable is left unchanged', () => {
    checkStateDirectory(folder)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.each([
    ['is missing', () => join(folder, 'none'), 'does not exist'],
    ['is a file', () => join(folder, 'file'), 'is a file, not a folder'],
    ['is below a file', () => join(folder, 'file', 'data'), 'does not exist'],
    // Not even the superuser can create a file there.
    ['accepts no files', () => '/proc', 'cannot be written to ('],
  ])('that %s is rejected with the names of the variable and the flag', (_, path, reason) => {
    expect(() => checkStateDirectory(path())).toThrow(StateDirectoryUnusable)
    expect(() => checkStateDirectory(path())).toThrow(
      `SERVICE_DATA_DIR or --data-dir: the state directory ${path()} ${reason}`,
    )
  })
})

describe('a created state directory', () => {
  it('has its parents created, and is accessible to its owner only', () => {
    makeStateDirectory(join(folder, 'new', 'state'))
    expect(statSync(join(folder, 'new', 'state')).mode & 0o777).toBe(0o700)
    rmSync(join(folder, 'new'), { recursive: true })
  })

  it.each([
    ['a file', () => join(folder, 'file'), 'is a file, not a folder'],
    ['below a file', () => join(folder, 'file', 'data'), 'cannot be created ('],
    // There, Node's own recursive creation would never return.
    ['on a file system that accepts no folder', () => '/proc/none', 'cannot be created ('],
  ])('is rejected if it would be %s', (_, path, reason) => {
    expect(() => makeStateDirectory(path())).toThrow(StateDirectoryUnusable)
    expect(() => makeStateDirectory(path())).toThrow(reason)
  })
})

if (onPostgres)
  it('a start on a database fails without the state directory and does not create it', async () => {
    const dataDir = join(folder, 'none')
    await expect(startServer({ dataDir })).rejects.toThrow(
      /ended with code 1: .*SERVICE_DATA_DIR or --data-dir: the state directory .*none does not exist/,
    )
    expect(readdirSync(folder)).toEqual(['file'])
  })
