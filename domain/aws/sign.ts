import { AwsV4Signer } from 'aws4fetch'
import type { AwsCredentials } from './settings.ts'

/** A request to S3. `bodySha256` is of the whole body, of no bytes if there is none: the signature covers it. */
export type S3Request = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodySha256: string
}

/** Signs a request to S3 with AWS Signature Version 4. `now` is in milliseconds since 1970, and part of the signature. */
export const signS3 = (
  { method, url, headers, bodySha256 }: S3Request,
  {
    region,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    now,
  }: { readonly region: string; readonly credentials: AwsCredentials; readonly now: () => number },
): Promise<{ readonly url: URL; readonly headers: Headers }> =>
  new AwsV4Signer({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    method,
    url,
    service: 's3',
    region,
    datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    headers: { ...headers, 'x-amz-content-sha256': bodySha256 },
  }).sign()

/** The code of an error of S3, which its body names. */
export const s3ErrorCode = (body: string): string | undefined => /<Code>([^<]{1,100})<\/Code>/.exec(body)?.[1]

/** The address of a bucket. With `pathStyle` the path names it, else the host. */
export const bucketAddress = ({
  bucket,
  endpoint,
  pathStyle,
  region,
}: {
  readonly bucket: string
  readonly endpoint: string | null
  readonly pathStyle: boolean
  readonly region: string
}): string => {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  const path = base.pathname.replace(/\/$/, '')
  return pathStyle
    ? `${base.protocol}//${base.host}${path}/${encodeStep(bucket)}`
    : `${base.protocol}//${bucket}.${base.host}${path}`
}

/** Encodes a step of a path as signatures need it: all but the unreserved characters. */
export const encodeStep = (step: string): string =>
  encodeURIComponent(step).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
