// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// As much of ENS as a reader sees: code for the registry's address, and for a resolver's that may be hostile.
contract Names {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    enum Mood {
        honest,
        offchain,
        reverts,
        burnsGas,
        garbage,
        megabyte,
        nothing,
        shy
    }

    mapping(bytes32 => address) public resolver;
    mapping(bytes32 => string) private names;
    mapping(bytes32 => address) private addresses;
    mapping(bytes32 => Mood) private moods;

    function setResolvers(bytes32[] calldata nodes, address to) external {
        for (uint256 i = 0; i < nodes.length; i++) resolver[nodes[i]] = to;
    }

    function setNames(bytes32[] calldata nodes, string[] calldata to) external {
        for (uint256 i = 0; i < nodes.length; i++) names[nodes[i]] = to[i];
    }

    function setAddresses(bytes32[] calldata nodes, address[] calldata to) external {
        for (uint256 i = 0; i < nodes.length; i++) addresses[nodes[i]] = to[i];
    }

    function setMood(bytes32 node, Mood to) external {
        moods[node] = to;
    }

    function name(bytes32 node) external view returns (string memory) {
        if (isShort(node)) return "";
        return names[node];
    }

    function addr(bytes32 node) external view returns (address payable) {
        if (isShort(node)) return payable(0);
        return payable(addresses[node]);
    }

    /// Does what the mood of the node is; true where it would say less than it knows.
    function isShort(bytes32 node) private view returns (bool) {
        Mood mood = moods[node];
        if (mood == Mood.offchain) {
            string[] memory urls = new string[](1);
            urls[0] = "https://attacker.example/{sender}/{data}.json";
            revert OffchainLookup(address(this), urls, msg.data, this.addr.selector, "");
        }
        require(mood != Mood.reverts, "not today");
        while (mood == Mood.burnsGas) {}
        assembly {
            if eq(mood, 4) {
                mstore(0, not(0))
                mstore(32, "alice.eth")
                return(0, 61)
            }
            if eq(mood, 5) { return(0, 400000) }
            if eq(mood, 6) { return(0, 0) }
        }
        return mood == Mood.shy && gasleft() < 430000;
    }
}
