// Answers from the vars: a provider program.
let text = ''
for await (const chunk of process.stdin) text += chunk
const { vars } = JSON.parse(text)
console.log(JSON.stringify({ output: `You can return it within 30 days. You asked: ${vars.question}` }))
