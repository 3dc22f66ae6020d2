"""A small identity provider on loopback: discovery, a code for whoever asks, signed id tokens."""

import base64
import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.running_server import free_port

CLIENT_ID, CLIENT_SECRET = "ratchet", "a secret of the client"


class Provider:
    """Who signs in there, and how it misbehaves, is set by the test."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.person: dict[str, Any] = {}
        self.wrong: dict[str, Any] = {}
        self.signs_with = self.key
        self.asked: dict[str, dict[str, str]] = {}

    def app(self) -> Starlette:
        """Its addresses."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.discovery),
                Route("/keys", self.keys),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
            ]
        )

    async def discovery(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def keys(self, _request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def authorize(self, request: Request) -> Response:
        code = secrets.token_urlsafe(8)
        self.asked[code] = dict(request.query_params)
        query = urlencode({"code": code, "state": request.query_params["state"]})
        return RedirectResponse(f"{request.query_params['redirect_uri']}?{query}", 302)

    async def token(self, request: Request) -> Response:
        form = await request.form()
        asked = self.asked.pop(str(form["code"]))
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != asked["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 60,
            "nonce": asked["nonce"],
            **self.person,
            **self.wrong,
        }
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signs_with)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": token})


@contextmanager
def running_provider() -> Iterator[Provider]:
    """A provider that answers, stopped at the end."""
    port = free_port()
    provider = Provider(port)
    config = uvicorn.Config(provider.app(), host="127.0.0.1", port=port, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield provider
    finally:
        server.should_exit = True
        thread.join(10)
