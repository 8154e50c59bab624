import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { storageLocation } from '../../runtime/storage-location.ts'

describe('the location of the store', () => {
  it('is the state directory, with the space left on its disk', async () => {
    const { location, freeBytes } = storageLocation({ dataDir: tmpdir(), database: null })
    expect(location).toBe(tmpdir())
    expect(await freeBytes()).toBeGreaterThan(0)
  })

  it('is the address of the database without its password', async () => {
    const { location, freeBytes } = storageLocation({
      dataDir: '/data',
      database: { url: 'postgresql://ers:s3cret@db.example.test:5433/results?sslmode=require' },
    })
    expect(location).toContain('db.example.test:5433/results')
    expect(location).not.toContain('s3cret')
    expect(await freeBytes()).toBeNull()
  })
})
