import type { ProofCrypto } from '../../../domain/proof/crypto.ts'
import { checkFiles } from '../../../webapp/check-receipt/check-files.ts'
import { checkParts } from '../../../webapp/check-receipt/check-parts.ts'
import type { CheckedReceipt } from '../../../domain/proof/check.ts'
import { ProofFailed } from '../../../domain/proof/failed.ts'
import { asBytes, type ProofCase } from './cases.ts'
import type { EvidenceCase } from './python.ts'

/** The codes of the page that checks receipts, for cases of receipts. 2: it could not be checked there. */
export const pageCodes = async (cases: readonly ProofCase[], crypto: ProofCrypto): Promise<number[]> => {
  const fileOf = (text: string, name: string): File => new File([Uint8Array.from(asBytes(text))], name)
  const codes: number[] = []
  for (const { files, keys, policy } of cases) {
    const [receipt = '', document] = files
    const outcome = await checkFiles(
      {
        receipt: fileOf(receipt, 'receipt'),
        document: document === undefined ? null : fileOf(document, 'document'),
        keys: keys.join('\n'),
        policy: policy === null ? null : fileOf(policy, 'policy'),
        manifest: null,
        parts: [],
      },
      crypto,
    )
    codes.push(outcome.ok ? 0 : outcome.code)
  }
  return codes
}

/** The code of the page for the evidence of a receipt that it found good. */
export const pageEvidenceCode = async ({ record, files, single }: EvidenceCase): Promise<number> => {
  const fileOf = (path: string, name: string): File => new File([Uint8Array.from(asBytes(files[path] ?? ''))], name)
  const parts = Object.keys(files).filter((path) => path.startsWith('parts/') || single.includes(path))
  try {
    const { refused } = await checkParts(
      { record } as unknown as CheckedReceipt,
      fileOf('manifest', 'manifest'),
      parts.map((path) => fileOf(path, path.split('/').at(-1) ?? path)),
    )
    return refused && !refused.ok ? refused.code : 0
  } catch (error) {
    if (error instanceof ProofFailed) return error.code
    throw error
  }
}
