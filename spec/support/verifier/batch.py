"""Checks many cases in one process. Reads JSON lines of cases and returns the exit codes."""
import base64
import io
import json
import pathlib

import ers_verify as verifier


def bytes_of(text):
    return base64.b64decode(text[7:]) if text.startswith('base64:') else text.encode()


def check(case):
    trust = verifier.Trust(case['keys'], *([bytes_of(case['policy'])] if case['policy'] is not None else []))
    files = [bytes_of(text) for text in case['files']]
    if case['command'] == 'receipt':
        return verifier.check_receipt(files[0], trust, *map(io.BytesIO, files[1:]))
    if case['command'] == 'checkpoint':
        return verifier.Checkpoint(files[0].decode(), trust)
    if case['command'] == 'consistency':
        return verifier.check_growth(*files, trust)
    good = verifier.ed25519_verify(*files)
    verifier.need(good, verifier.UNTRUSTED, 'the signature is wrong')


def codes(lines):
    """The exit code of each case."""
    return [verifier.verdict(check, json.loads(line))[0] for line in lines.split('\n') if line]


def put(path, data):
    """Writes a file, or removes it for None. Returns what was there."""
    before = path.read_bytes() if path.exists() else None
    if data is None:
        path.unlink()
        for folder in list(path.parents)[:-1]:
            if not any(folder.iterdir()):
                folder.rmdir()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return before


def log_codes(lines):
    """The exit code of each exported log: files by path, on top of those of the first line."""
    root = pathlib.Path('log-cases')
    codes = []
    for line in filter(None, lines.split('\n')):
        case = json.loads(line)
        before = [(root / path, put(root / path, None if text is None else bytes_of(text)))
                  for path, text in case['files'].items()]
        trust = verifier.Trust(case['keys'])
        codes.append(verifier.verdict(verifier.check_log, root / 'log', trust, root / 'documents')[0])
        for path, data in reversed(before if codes[1:] else []):
            put(path, data)
    return codes


def evidence_codes(lines):
    """The exit code of each check of evidence: a record, the manifest, the files of a folder of parts, and single parts."""
    codes = []
    for at, line in enumerate(filter(None, lines.split('\n'))):
        case = json.loads(line)
        root = pathlib.Path('evidence-cases') / str(at)
        for path, text in case['files'].items():
            put(root / path, bytes_of(text))
        (root / 'parts').mkdir(exist_ok=True)
        given = root / 'manifest', root / 'parts', [root / path for path in case['single']], case['isPartial']
        codes.append(verifier.verdict(verifier.check_evidence, case['record'], *given)[0])
    return codes
