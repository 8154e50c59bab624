import type { FastifyReply } from 'fastify'

// Until the web app exists: one plain page, without script, that says where to go.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evaluation Results</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Evaluation Results</h1>
<p>The service is running. Its API answers under <code>/api/v1</code>:</p>
<ul>
<li><a href="/api/v1/openapi.json">the API, as OpenAPI 3.1</a></li>
<li><a href="/api/v1/meta">what this server is</a></li>
<li><a href="/health">health</a></li>
</ul>
<p>Upload run documents with <code>POST /api/v1/runs</code> or <code>ers import</code>.</p>
</body>
</html>
`

/** The page that any address outside the API answers. */
export const shell = (reply: FastifyReply): FastifyReply =>
  reply
    .code(200)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .send(PAGE)
