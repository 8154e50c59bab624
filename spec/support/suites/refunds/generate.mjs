// Generates as many tests as its configuration says.
let text = ''
for await (const chunk of process.stdin) text += chunk
const { config } = JSON.parse(text)
const tests = Array.from({ length: config.n }, (_, index) => ({ vars: { question: `Question ${index}` } }))
console.log(JSON.stringify({ tests }))
