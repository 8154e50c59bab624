/**
 * The functions of a platform that verification needs: Node, a browser or a library supplies them. `domain/proof` has no
 * other way to hash or to verify, so that one text serves the command line, the service and the web page.
 */
export type ProofCrypto = {
  /** SHA-256 of bytes. */
  readonly sha256: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>
  /** Whether an Ed25519 signature (RFC 8032, 64 bytes) of a message is valid under a public key of 32 bytes. */
  readonly verifyEd25519: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>
  /** The same for ML-DSA-44 (FIPS 204, an empty context); null where the platform cannot check it. */
  readonly verifyMlDsa44:
    | ((key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>)
    | null
}
