"""Model Context Protocol: scripts over the tools of servers, and a server that offers scripts.

    async with connect("https://example.com/mcp") as github:
        async with CodeMode([github, my_function]) as codemode:
            ...

    code_server([my_function]).run()

`namespace_of` takes a client or a session that is connected already.
"""

from toolscript.extras import needs

with needs("mcp"):
    from toolscript_adapters.mcp.client import Server, connect, namespace_of
    from toolscript_adapters.mcp.server import add_code_tool, code_server

__all__ = ["Server", "add_code_tool", "code_server", "connect", "namespace_of"]
