import { utf8 } from '../../../domain/proof/bytes.ts'
import { openingText } from '../../../domain/proof/opening.ts'
import { proofText } from '../../../domain/proof/tlog-proof.ts'
import { leafHash } from '../../../storage/log/merkle.ts'

/** The check value of the permanent formats: keys whose seeds are public examples, and a receipt under them. */

export const LOG_VKEY = 'results.example/log+207a464c+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
export const WITNESS_VKEY = 'witness.example/w1+c03ad8d4+BOHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx'

export const CHECKPOINT_TEXT = 'results.example/log\n3\nfm4iHPSu8P7+o3C5Uc05JZ5ddNKOgak5gJthVDTZdNI=\n'
export const LOG_LINE =
  '— results.example/log IHpGTDyTqnsakHFKVd9lVsBmvdb8GDf9PUzO9ltV13lCwRxD9BDRcBnQICo+qwVjOiFGk64sZ6AzTWXMAYifm79cpQQ='
export const WITNESS_LINE =
  '— witness.example/w1 wDrY1AAAAABp+GB0TybuyYHdz00K8XX5Ay9/lrP+zL4pplwlwC554lMTYW+IyM24FpL+QpMJl2jUvTN2Yr8P3+HjUbdW33Tkx7YyCw=='
export const COSIGNED_NOTE = `${CHECKPOINT_TEXT}\n${LOG_LINE}\n${WITNESS_LINE}\n`

export const OPENING = {
  body: '{"actor":{"address":null,"credential_id":null,"kind":"static","scope":"write","user_id":null},"data":{"document_bytes":2,"document_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","project":"chat","suite":"smoke"},"request_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA","stream":"run/a%2Fb","version":1}',
  recorded_at: 1_777_885_244_000,
  salt: '000102030405060708090a0b0c0d0e0f',
  type: 'RunIngested',
}

export const RECEIPT_SHA256 = '143be799d7933ba5a625413d3ea6c9fcb49b350a3c506e1ccb9e8f6e832354fa'

/** The receipt of index 1: its neighbours are the RFC 6962 sample leaves 0 and 2. */
export const RECEIPT = proofText({
  extra: utf8(openingText(OPENING)),
  index: 1,
  path: [leafHash(''), leafHash(Uint8Array.of(0x10))],
  checkpoint: COSIGNED_NOTE,
})
