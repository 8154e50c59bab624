import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isConsistent } from '../../../../../webapp/pages/admin/audit/recompute.ts'

// The known answer of `docs/record.md`.
const record = {
  seq: 1,
  recorded_at: '2026-05-04T09:00:44+00:00',
  type: 'RunIngested',
  stream: 'run/a%2Fb',
  version: 1,
  actor: null,
  request_id: null,
  data: null,
  salt: '000102030405060708090a0b0c0d0e0f',
  body: '{"actor":{"address":null,"credential_id":null,"kind":"static","scope":"write","user_id":null},"data":{"document_bytes":2,"document_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","project":"chat","suite":"smoke"},"request_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA","stream":"run/a%2Fb","version":1}',
  commitment: 'df69e366368b9c3d46c1fb3f75d692b043753173ef9e7b4b849c5be72c1e474e',
  leaf: '3585f7662731e81894fbc8af33e09c11309efa334bff5f8d648b0fff935042c3',
}

it('a record is consistent if its body gives its commitment and its leaf', async () => {
  expect(await isConsistent(record)).toBe(true)
  expect(await isConsistent({ ...record, body: record.body.replace('smoke', 'other') })).toBe(false)
  expect(await isConsistent({ ...record, type: 'RunDeleted' })).toBe(false)
  expect(await isConsistent({ ...record, leaf: createHash('sha256').update('x').digest('hex') })).toBe(false)
  expect(await isConsistent({ ...record, body: null, salt: null })).toBeNull()
})
