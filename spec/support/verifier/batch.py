"""Checks many cases in one process. Reads JSON lines of cases and returns the exit codes."""
import base64
import json

import ers_verify as verifier


def bytes_of(text):
    return base64.b64decode(text[7:]) if text.startswith('base64:') else text.encode()


def check(case):
    trust = verifier.Trust(case['keys'], *([bytes_of(case['policy'])] if case['policy'] is not None else []))
    files = [bytes_of(text) for text in case['files']]
    if case['command'] == 'receipt':
        return verifier.check_receipt(files[0], trust, *files[1:])
    if case['command'] == 'checkpoint':
        return verifier.Checkpoint(files[0].decode(), trust)
    if case['command'] == 'consistency':
        return verifier.check_consistency(files[0], files[1].decode(), files[2].decode(), trust)
    good = verifier.ed25519_verify(*files)
    verifier.need(good, verifier.UNTRUSTED, 'the signature is wrong')


def codes(lines):
    """The exit code of each case."""
    return [verifier.verdict(check, json.loads(line))[0] for line in lines.split('\n') if line]
